// Whether a transaction succeeded, and why not, in words.

import { action } from "../base/api.js";
import { cleaned } from "../base/format.js";
import { useAnswer } from "../base/hooks.js";
import { html } from "../base/html.js";
import { pathTo } from "../base/surroundings.js";
import { Decoded } from "../decoding/decoded.js";

const PANICS = {
  1: "an assertion failed",
  17: "arithmetic overflow or underflow",
  18: "division by zero",
  33: "invalid value of an enum",
  34: "wrongly encoded bytes in storage",
  49: "pop of an empty array",
  50: "index out of bounds",
  65: "too much memory",
  81: "call of an uninitialised function",
};

export function Status({ transaction: { success, revertReason, details } }) {
  if (success) return html`<span class="status good">Success</span>`;
  if (details.txreceipt_status === "" && details.error === "") {
    return html`<span class="status">Unknown</span> <span class="soft">its receipt, from before Byzantium, does not say</span>`;
  }
  return html`<span class="status bad">Failed</span> <span class="reason">${reasonOf(details, revertReason)}</span>`;
}

function reasonOf({ revert, error }, data) {
  const [first] = revert?.parameters ?? [];
  if (revert?.signature === "Error(string)") return html`<bdi>${cleaned(first.value, 500)}</bdi>`;
  if (revert?.signature === "Panic(uint256)") {
    return `Panic ${first.value}: ${PANICS[first.value] ?? "unknown code"}`;
  }
  if (revert) return html`<${Decoded} ...${revert} />`;
  if (data !== "" && data !== "0x") {
    return html`${cleaned(error || "reverted", 200)} with <code class="data">${data.slice(0, 74)}${data.length > 74 && "…"}</code>`;
  }
  return cleaned(error || "reverted without a reason", 200);
}

/** The lines of verified sources that a failed transaction came to, the innermost first; null without any. */
export function useRevertLines({ hash, success }) {
  const request = action("The lines of its revert", "transaction", "getrevertlines", {
    txhash: hash,
  });
  // The node may take long: the page's other requests do not wait for it.
  const answer = useAnswer(success ? null : { ...request, isJoined: false }, "branch");
  if (!answer.value?.length) return null;
  return html`<ol class="lines">
    ${answer.value.map(
      ({ contractAddress, fileName, line, code }) => html`<li>
        <a href=${`${pathTo("address", contractAddress)}?line=${line}&file=${encodeURIComponent(fileName)}#code`}><bdi>${cleaned(fileName)}</bdi>:${line}</a>${" "}
        <code>${cleaned(code, 500)}</code>
      </li>`,
    )}
  </ol>`;
}
