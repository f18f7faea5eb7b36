// Calls, events and errors as the API decodes them by a verified ABI, or as the dictionary guesses them.

import { cleaned, grouped } from "../base/format.js";
import { html } from "../base/html.js";
import { Address } from "../parts/parts.js";

const LONGEST_TEXT = 1000;
const MOST_ITEMS = 100;

const GUESS =
  "By the names of standards and widely used interfaces: this contract may mean another thing";

/** The mark of what no verified ABI says. */
export function Guess() {
  return html`<span class="guess" title=${GUESS}>guess</span>`;
}

/** A signature with what it was given. */
export function Decoded({ signature, parameters, isGuess = false }) {
  return html`<div class="decoded">
    <code class="signature">${cleaned(signature, LONGEST_TEXT)}</code> ${isGuess && html`<${Guess} />`}
    ${parameters.length > 0 && html`<${Parameters} parameters=${parameters} />`}
  </div>`;
}

/** Names, types and values. */
export function Parameters({ parameters }) {
  return html`<dl class="parameters">
    ${parameters.slice(0, MOST_ITEMS).map(
      ({ name, type, value, hashed }, index) => html`<div>
        <dt>${cleaned(name) || `#${index}`} <span class="type">${cleaned(type)}${hashed && ", hashed"}</span></dt>
        <dd><${Value} type=${hashed ? "bytes32" : type} value=${value} /></dd>
      </div>`,
    )}
    ${parameters.length > MOST_ITEMS && html`<div><dt>${parameters.length - MOST_ITEMS} more</dt></div>`}
  </dl>`;
}

/** A value of a type, as the API decodes it: text, a list, or the members of a struct. */
export function Value({ type, value }) {
  if (!Array.isArray(value)) return html`<${Leaf} type=${type} value=${String(value)} />`;
  if (value.length === 0) return html`<span class="soft">empty</span>`;
  const element = type.replace(/\[\d*\]$/, "");
  if (element === type) return html`<${Parameters} parameters=${value} />`;
  return html`<ol class="values" start="0">
    ${value.slice(0, MOST_ITEMS).map((item) => html`<li><${Value} type=${element} value=${item} /></li>`)}
    ${value.length > MOST_ITEMS && html`<li class="soft">${value.length - MOST_ITEMS} more</li>`}
  </ol>`;
}

function Leaf({ type, value }) {
  if (type === "address") return html`<${Address} address=${value} isWhole />`;
  if (/^u?int\d*$/.test(type)) return html`<span class="number">${grouped(value)}</span>`;
  if (type === "string") return html`<bdi class="text">${cleaned(value, LONGEST_TEXT)}</bdi>`;
  return html`<code class="data">${cleaned(value, LONGEST_TEXT)}</code>`;
}
