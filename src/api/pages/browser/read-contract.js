// Functions of a contract that only read, to be called.

import { useState } from "preact/hooks";
import { action, ask } from "./api.js";
import { Value } from "./decoded.js";
import { cleaned } from "./format.js";
import { useAnswer } from "./hooks.js";
import { html } from "./html.js";
import { Section } from "./parts.js";
import { subjectOfPage as address } from "./surroundings.js";

/** `implementations` are those of a proxy, whose functions are called through it. */
export function ReadContract({ abi, implementations }) {
  const [implementation] = implementations;
  const behind = useAnswer(
    implementation
      ? action("The ABI behind it", "contract", "getabi", {
          address: implementation.address.toLowerCase(),
        })
      : null,
  );
  const functions = [...JSON.parse(abi), ...JSON.parse(behind.value ?? "[]")].filter(
    ({ type, stateMutability }) => type === "function" && /^(?:view|pure)$/.test(stateMutability),
  );
  return html`<${Section} id="read" title="Read">
    ${functions.length === 0 && html`<p class="empty">It has no function that only reads.</p>`}
    <ul class="functions">
      ${functions.map((entry) => html`<li class="card" key=${signatureOf(entry)}><${Reading} entry=${entry} /></li>`)}
    </ul>
  <//>`;
}

function Reading({ entry }) {
  const { inputs } = entry;
  const [texts, setTexts] = useState(inputs.map(() => ""));
  const [answer, setAnswer] = useState(null);
  const read = async (event) => {
    event.preventDefault();
    setAnswer({ isLoading: true });
    const request = action(`What ${cleaned(entry.name)} returns`, "contract", "readcontract", {
      address,
      function: signatureOf(entry),
      arguments: JSON.stringify(texts.map(argumentOf)),
    });
    await ask(request).then(
      ({ values }) => setAnswer({ values }),
      (error) => setAnswer({ error }),
    );
  };
  return html`<form onSubmit=${read}>
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

function Result({ answer }) {
  if (answer === null) return null;
  if (answer.isLoading) return html`<p class="waiting">Asking…</p>`;
  if (answer.error) return html`<p class="problem">${answer.error.message}</p>`;
  return html`<dl class="parameters">
    ${answer.values.map(({ name, type, value }) => html`<div><dt>${cleaned(name)} <span class="type">${cleaned(type)}</span></dt><dd><${Value} type=${type} value=${value} /></dd></div>`)}
  </dl>`;
}

/** What was typed: lists and structs as JSON, everything else as it stands. */
function argumentOf(text) {
  if (!text.trim().startsWith("[")) return text.trim();
  try {
    return JSON.parse(text);
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
