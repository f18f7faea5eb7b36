// A transaction in one sentence.

import { useGuessedName } from "./dictionary.js";
import { cleaned } from "./format.js";
import { useAnswer } from "./hooks.js";
import { html } from "./html.js";
import { Address, Coins } from "./parts.js";
import { Moved, TransferToken, transfersOf } from "./transfers.js";

const NOBODY = "0x0000000000000000000000000000000000000000";

export function Summary({ transaction }) {
  const { hash, to, from, value, input, details } = transaction;
  const { value: transfers = [] } = useAnswer(transfersOf(hash));
  const guess = useGuessedName(input.slice(0, 10), to !== "" && input !== "0x" && !details.call);
  const name = details.call?.signature.split("(")[0] ?? guess;
  const text = transaction.success
    ? (sentenceOf(transfers, transaction) ?? plainSentence({ to, value, input, name, details }))
    : html`Tried to ${to === "" ? "deploy a contract" : html`call ${name ? html`<b>${cleaned(name, 60)}</b> on` : ""} <${Address} address=${to} name=${nameOf(details, to)} />`}`;
  return html`<p class="summary"><${Address} address=${from} /> ${text}</p>`;
}

function nameOf({ contracts }, address) {
  return contracts.find((contract) => contract.address === address)?.name;
}

const what = (transfer) =>
  html`<b><${Moved} transfer=${transfer} isExact /></b> <${TransferToken} transfer=${transfer} />`;

/** What the sender gave and got, where one or two transfers say it all. */
function sentenceOf(transfers, { from, to, details }) {
  const given = transfers.filter((transfer) => transfer.from === from && transfer.to !== from);
  const got = transfers.filter((transfer) => transfer.to === from && transfer.from !== from);
  const [first] = transfers;
  if (
    given.length === 1 &&
    got.length === 1 &&
    given[0].contractAddress !== got[0].contractAddress
  ) {
    return html`swapped ${what(given[0])} for ${what(got[0])} through <${Address} address=${to} name=${nameOf(details, to)} />`;
  }
  if (transfers.length !== 1) return undefined;
  if (first.from === NOBODY)
    return html`minted ${what(first)} to <${Address} address=${first.to} />`;
  if (first.to === NOBODY)
    return html`burned ${what(first)} of <${Address} address=${first.from} />`;
  return first.from === from
    ? html`sent ${what(first)} to <${Address} address=${first.to} />`
    : html`moved ${what(first)} from <${Address} address=${first.from} /> to <${Address} address=${first.to} />`;
}

function plainSentence({ to, value, input, name, details }) {
  if (to === "") {
    const created = details.contractAddress;
    return html`deployed <${Address} address=${created} name=${nameOf(details, created)} />`;
  }
  const receiver = html`<${Address} address=${to} name=${nameOf(details, to)} />`;
  const coins = value !== "0" && html`<b><${Coins} wei=${value} isExact /></b>`;
  if (input === "0x") return html`sent ${coins || "nothing"} to ${receiver}`;
  if (name === "approve" || name === "setApprovalForAll") {
    const spender = details.call?.parameters[0]?.value;
    return html`approved ${spender ? html`<${Address} address=${spender} />` : "a spender"} for ${receiver}`;
  }
  return html`called <b>${name ? cleaned(name, 60) : input.slice(0, 10)}</b> on ${receiver}${coins && html` with ${coins}`}`;
}
