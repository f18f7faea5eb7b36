// A transaction in one sentence.

import { useGuessedName } from "./dictionary.js";
import { cleaned } from "./format.js";
import { useAnswer } from "./hooks.js";
import { html } from "./html.js";
import { Address, Coins } from "./parts.js";
import { partsOf } from "./sentence.js";
import { Moved, TransferToken, transfersOf } from "./transfers.js";

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
