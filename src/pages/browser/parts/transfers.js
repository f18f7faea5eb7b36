import { action } from "../base/api.js";
import { grouped } from "../base/format.js";
import { html } from "../base/html.js";
import { Address, Amount, TokenLink } from "./parts.js";
import { List } from "./table.js";

/** The request for the token transfers of a transaction. */
export function transfersOf(hash, paging = { page: 1, offset: 25 }) {
  return action("Its token transfers", "transaction", "listtransfers", { txhash: hash, ...paging });
}

/** The token transfers of a transaction. */
export function Transfers({ hash }) {
  return html`<${List}
    id="transfers"
    title="Token transfers"
    what="token transfers"
    parameter="transfers"
    request=${(paging) => transfersOf(hash, paging)}
    columns=${[
      ["From", ({ from }) => html`<${Address} address=${from} />`, "second"],
      ["To", ({ to }) => html`<${Address} address=${to} />`, "second to"],
      ["Amount", (transfer) => html`<${Moved} transfer=${transfer} isExact />`, "number first"],
      ["Token", (transfer) => html`<${TransferToken} transfer=${transfer} />`, "first"],
    ]}
  />`;
}

/** How much of a token, or which one, a transfer moved; records of every list of transfers. */
export function Moved({ transfer, isExact }) {
  const { tokenDecimal, tokenID } = transfer;
  const id = tokenID ? html`<span class="number">#${grouped(tokenID)}</span>` : null;
  const value = transfer.tokenValue ?? transfer.value;
  if (!value) return id;
  return html`${id}${id && " × "}<${Amount} value=${value} decimals=${tokenDecimal || 0} isExact=${isExact} />`;
}

export function TransferToken({ transfer: { contractAddress, tokenSymbol, tokenName } }) {
  return html`<${TokenLink} address=${contractAddress} symbol=${tokenSymbol} name=${tokenName} />`;
}
