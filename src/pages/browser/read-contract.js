// Functions of a contract that only read, to be called.

import { useRef, useState } from "preact/hooks";
import { action } from "./api.js";
import { Value } from "./decoded.js";
import { cleaned } from "./format.js";
import { useAnswer, useWhenSeen } from "./hooks.js";
import { html } from "./html.js";
import { AddressLink, Section } from "./parts.js";
import { subjectOfPage as address } from "./surroundings.js";

/** `implementations` are those of a proxy, or the facets of a diamond: their functions are called through it. */
export function ReadContract({ abi, implementations }) {
  return html`<${Section} id="read" title="Read">
    <${Functions} abi=${abi} />
    ${implementations.map((implementation) => html`<${Behind} key=${implementation.address} ...${implementation} />`)}
  <//>`;
}

function Behind({ address: implementation, name }) {
  const subject = implementation.toLowerCase();
  const abi = useAnswer(action("The ABI behind it", "contract", "getabi", { address: subject }));
  return html`
    <h3>Of <${AddressLink} address=${subject} name=${name} part="#code" /></h3>
    ${abi.isLoading && html`<p class="waiting" role="status">Asking for its ABI…</p>`}
    ${abi.error && html`<p class="empty">${abi.error.message}</p>`}
    ${abi.value && html`<${Functions} abi=${abi.value} />`}
  `;
}

function Functions({ abi }) {
  const functions = JSON.parse(abi).filter(
    ({ type, stateMutability }) => type === "function" && /^(?:view|pure)$/.test(stateMutability),
  );
  if (functions.length === 0) return html`<p class="empty">It has no function that only reads.</p>`;
  return html`<ul class="functions">
    ${functions.map((entry) => html`<li class="card" key=${signatureOf(entry)}><${Reading} entry=${entry} /></li>`)}
  </ul>`;
}

/** A function with the fields of its arguments; one without any is read as soon as it is seen. */
function Reading({ entry }) {
  const { inputs } = entry;
  const form = useRef(null);
  const [texts, setTexts] = useState(inputs.map(() => ""));
  const [{ request, version }, setAsked] = useState({ request: null, version: 0 });
  const answer = useAnswer(request, version);
  const read = () => {
    const asked = action(`What ${cleaned(entry.name)} returns`, "contract", "readcontract", {
      address,
      function: signatureOf(entry),
      arguments: JSON.stringify(texts.map(argumentOf)),
    });
    setAsked({ request: asked, version: version + 1 });
  };
  useWhenSeen(form, inputs.length === 0 ? read : null);
  const submit = (event) => {
    event.preventDefault();
    read();
  };
  return html`<form ref=${form} onSubmit=${submit}>
    <div class="heading"><code class="signature">${cleaned(entry.name)}</code> <button type="submit" class="copy" aria-label=${`Read ${cleaned(entry.name)}`}>Read</button></div>
    ${inputs.map(
      ({ name, type }, index) => html`<label>
        <span>${cleaned(name) || `#${index}`} <span class="type">${cleaned(type)}</span></span>
        <input
          value=${texts[index]}
          autocomplete="off"
          spellcheck=${false}
          placeholder=${/[\]]$|^tuple/.test(type) ? "JSON list" : ""}
          onInput=${({ currentTarget }) => setTexts(texts.with(index, currentTarget.value))}
        />
      </label>`,
    )}
    <div aria-live="polite"><${Result} answer=${answer} /></div>
  </form>`;
}

function Result({ answer: { isLoading, error, value } }) {
  if (isLoading) return html`<p class="waiting">Asking…</p>`;
  if (error) return html`<p class="problem">${error.message}</p>`;
  if (!value) return null;
  return html`<dl class="parameters">
    ${value.values.map(({ name, type, value: read }) => html`<div><dt>${cleaned(name)} <span class="type">${cleaned(type)}</span></dt><dd><${Value} type=${type} value=${read} /></dd></div>`)}
  </dl>`;
}

/** What was typed: lists and structs as JSON, with numbers digit by digit; everything else as it stands. */
function argumentOf(text) {
  if (!text.trim().startsWith("[")) return text.trim();
  try {
    return JSON.parse(text, (_name, value, { source }) =>
      typeof value === "number" ? source : value,
    );
  } catch {
    return text;
  }
}

function signatureOf({ name, inputs }) {
  return `${name}(${inputs.map(typeOf).join(",")})`;
}

function typeOf({ type, components = [] }) {
  return type.startsWith("tuple") ? `(${components.map(typeOf).join(",")})${type.slice(5)}` : type;
}
