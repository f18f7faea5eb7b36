// Who may move what an address owns, and how its owner ends that: by a wallet or by a command.

import { useEffect, useRef, useState } from "preact/hooks";
import { actionV2 } from "../base/api.js";
import { grouped } from "../base/format.js";
import { html } from "../base/html.js";
import { subjectOfPage as owner } from "../base/surroundings.js";
import { parseSignature } from "../decoding/abi.js";
import { Address, Amount, Time, TokenLink, TransactionLink } from "../parts/parts.js";
import { List } from "../parts/table.js";
import { callTo, Sending, Wallet } from "./writing.js";

const NOBODY = "0x0000000000000000000000000000000000000000";
/** The call that ends an approval, by its kind: a signature, and what it is given. */
const ENDS = {
  allowance: ({ spender }) => ["approve(address spender,uint256 amount)", [spender, "0"]],
  token: ({ tokenID }) => ["approve(address spender,uint256 id)", [NOBODY, tokenID]],
  operator: ({ spender }) => [
    "setApprovalForAll(address operator,bool approved)",
    [spender, "false"],
  ],
};

/** The list, as other lists of an address are described. */
export const approvalList = {
  title: "Approvals",
  what: "approvals",
  request: (paging) =>
    actionV2("Who may move its tokens", "account", "approvals", { address: owner, ...paging }),
};

export function Approvals({ file }) {
  const [chosen, setChosen] = useState(null);
  return html`
    <p class="soft">Whoever is approved may move these tokens at any time. Each is what the token itself says now.</p>
    ${chosen && html`<${Revocation} key=${`${chosen.transactionHash} ${chosen.logIndex}`} row=${chosen} close=${() => setChosen(null)} />`}
    <${List} ...${approvalList} title=${undefined} file=${file} columns=${[
      [
        "Token",
        (row) =>
          html`<${TokenLink} address=${row.contractAddress} symbol=${row.tokenSymbol} name=${row.tokenName} />`,
        "first",
      ],
      ["Spender", ({ spender }) => html`<${Address} address=${spender} />`, "second to"],
      ["May move", (row) => html`<${Extent} row=${row} />`, "first end"],
      ["Holds", (row) => html`<${Holding} row=${row} />`, "number"],
      [
        "Since",
        (row) =>
          html`<${TransactionLink} hash=${row.transactionHash}><${Time} seconds=${Number(row.timeStamp)} /><//>`,
        "second",
      ],
      [
        "Action",
        (row) =>
          html`<button type="button" class="small" onClick=${() => setChosen(row)}>Revoke</button>`,
        "second end",
      ],
    ]} />
  `;
}

function Extent({ row: { kind, value, tokenID, tokenDecimal, isUnlimited, isProven } }) {
  if (isProven === "0") return html`<span class="status wait">the token does not say</span>`;
  if (kind === "token") return html`<span class="number">#${grouped(tokenID)}</span>`;
  if (isUnlimited === "1") {
    return html`<span class="status bad">${kind === "operator" ? "every token" : "unlimited"}</span>`;
  }
  return html`<${Amount} value=${value} decimals=${tokenDecimal || 0} />`;
}

const Holding = ({ row: { holding, tokenDecimal } }) =>
  holding === "" ? null : html`<${Amount} value=${holding} decimals=${tokenDecimal || 0} />`;

function Revocation({ row, close }) {
  const element = useRef(null);
  useEffect(() => element.current.focus(), []);
  const [signature, values] = ENDS[row.kind](row);
  const call = callTo(row.contractAddress, parseSignature(signature), values);
  return html`<div class="card" tabindex="-1" ref=${element} role="group" aria-label="Revoke an approval">
    <div class="heading"><span>Revoke <${Address} address=${row.spender} /> for <${TokenLink} address=${row.contractAddress} symbol=${row.tokenSymbol} name=${row.tokenName} /></span> <span><${Wallet} /> <button type="button" class="small" onClick=${close}>Close</button></span></div>
    <${Sending} to=${row.contractAddress} call=${call} abi=${[]} sender=${owner} />
  </div>`;
}
