// Why a call fails, by the errors of a verified ABI.

import { cleaned } from "../base/format.js";
import { html } from "../base/html.js";
import { decode, selectorOf, signatureOf } from "./abi.js";
import { Decoded } from "./decoded.js";

const KNOWN = [
  { type: "error", name: "Error", inputs: [{ name: "reason", type: "string" }] },
  { type: "error", name: "Panic", inputs: [{ name: "code", type: "uint256" }] },
];

/** The error of a failed call, whose `data` is what the contract returned. */
export function Revert({ error, abi }) {
  const found = decodedError(error.data, abi);
  return html`<p class="problem">${cleaned(error.message, 300)}</p>${found && html`<${Decoded} ...${found} />`}`;
}

function decodedError(data, abi) {
  if (typeof data !== "string" || data.length < 10) return null;
  const entry = [...abi.filter(({ type }) => type === "error"), ...KNOWN].find(
    (one) => selectorOf(one) === data.slice(0, 10),
  );
  try {
    return (
      entry && { signature: signatureOf(entry), parameters: decode(entry.inputs, data.slice(10)) }
    );
  } catch {
    return null;
  }
}
