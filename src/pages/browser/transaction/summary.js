// A transaction in one sentence.

import { cleaned } from "../base/format.js";
import { useAnswer } from "../base/hooks.js";
import { html } from "../base/html.js";
import { useGuessedName } from "../decoding/dictionary.js";
import { partsOf } from "../decoding/sentence.js";
import { Address, Coins } from "../parts/parts.js";
import { Moved, TransferToken, transfersOf } from "../parts/transfers.js";

export function Summary({ transaction }) {
  const { hash, to, input, details } = transaction;
  const { value: transfers = [] } = useAnswer(transfersOf(hash));
  const guess = useGuessedName(input.slice(0, 10), to !== "" && input !== "0x" && !details.call);
  return html`<p class="summary">${partsOf(transaction, transfers, guess).map(shown)}</p>`;
}

function shown(part) {
  if (typeof part === "string") return part;
  const { address, name, wei, transfer } = part;
  if (address) return html`<${Address} address=${address} />`;
  if (name) return html`<b>${cleaned(name, 60)}</b>`;
  if (wei) return html`<b><${Coins} wei=${wei} isExact /></b>`;
  return html`<b><${Moved} transfer=${transfer} isExact /></b> <${TransferToken} transfer=${transfer} />`;
}
