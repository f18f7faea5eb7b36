import { action } from "./api.js";
import { grouped } from "./format.js";
import { html } from "./html.js";
import { AddressLink, Amount, Section, TokenLink } from "./parts.js";
import { List } from "./table.js";

/** The token transfers of a transaction. */
export function Transfers({ hash }) {
  return html`<${Section} id="transfers" title="Token transfers">
    <${List}
      what="token transfers"
      request=${(paging) => action("Its token transfers", "transaction", "listtransfers", { txhash: hash, ...paging })}
      columns=${[
        ["From", ({ from }) => html`<${AddressLink} address=${from} />`],
        ["To", ({ to }) => html`<${AddressLink} address=${to} />`],
        ["Amount", (transfer) => html`<${Moved} transfer=${transfer} />`, "number"],
        ["Token", (transfer) => html`<${TransferToken} transfer=${transfer} />`],
      ]}
    />
  <//>`;
}

/** How much of a token, or which one, a transfer moved; records of every list of transfers. */
export function Moved({ transfer }) {
  const { tokenDecimal } = transfer;
  const id = transfer.tokenID
    ? html`<span class="number">#${grouped(transfer.tokenID)}</span>`
    : null;
  const value = transfer.tokenValue ?? transfer.value;
  if (!value) return id;
  return html`${id}${id && " × "}<${Amount} value=${value} decimals=${tokenDecimal || 0} />`;
}

export function TransferToken({ transfer: { contractAddress, tokenSymbol, tokenName } }) {
  return html`<${TokenLink} address=${contractAddress} symbol=${tokenSymbol} name=${tokenName} />`;
}
