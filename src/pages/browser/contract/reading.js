// A function that only reads, called through the API.

import { useRef, useState } from "preact/hooks";
import { action, rpc } from "../base/api.js";
import { cleaned } from "../base/format.js";
import { useAnswer, useWhenSeen } from "../base/hooks.js";
import { html } from "../base/html.js";
import { subjectOfPage as address } from "../base/surroundings.js";
import { encode, selectorOf, signatureOf } from "../decoding/abi.js";
import { Value } from "../decoding/decoded.js";
import { Revert } from "../decoding/revert.js";
import { argumentOf, Fields } from "../parts/fields.js";

const FAILED = "The call fails";

/** One without arguments is read as soon as it is seen. */
export function Reading({ entry, abi }) {
  const { inputs } = entry;
  const form = useRef(null);
  const [texts, setTexts] = useState(inputs.map(() => ""));
  const [{ request, values, count }, setAsked] = useState({ request: null, count: 0 });
  const answer = useAnswer(request, "branch", count);
  const read = () => {
    const given = texts.map(argumentOf);
    const asked = action(`What ${cleaned(entry.name)} returns`, "contract", "readcontract", {
      address,
      function: signatureOf(entry),
      arguments: JSON.stringify(given),
    });
    setAsked({ request: asked, values: given, count: count + 1 });
  };
  useWhenSeen(form, inputs.length === 0 ? read : null);
  const submit = (event) => {
    event.preventDefault();
    read();
  };
  return html`<form ref=${form} onSubmit=${submit}>
    <div class="heading"><code class="signature">${cleaned(entry.name)}</code> <button type="submit" class="small" aria-label=${`Read ${cleaned(entry.name)}`}>Read</button></div>
    <${Fields} inputs=${inputs} texts=${texts} setTexts=${setTexts} />
    <div aria-live="polite">${answer.error?.message === FAILED ? html`<${Failure} entry=${entry} values=${values} abi=${abi} />` : html`<${Result} answer=${answer} />`}</div>
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

/** Why the call fails: the node says what the contract returned. */
function Failure({ entry, values, abi }) {
  const data = selectorOf(entry) + encode(entry.inputs, values);
  const answer = useAnswer(
    rpc(`Why ${cleaned(entry.name)} fails`, [["eth_call", [{ to: address, data }, "latest"]]]),
    "branch",
  );
  const [result] = answer.value ?? [];
  if (answer.isLoading) return html`<p class="waiting">Asking…</p>`;
  return html`<${Revert} error=${result instanceof Error ? result : new Error(FAILED)} abi=${abi} />`;
}
