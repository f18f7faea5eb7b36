// Columns of the lists, by the names of the API's fields.

import { cleaned, percent, shortHash } from "./format.js";
import { html } from "./html.js";
import {
  AddressLink,
  Amount,
  Bar,
  BlockLink,
  Coins,
  Gwei,
  Name,
  Time,
  TokenLink,
  TransactionLink,
} from "./parts.js";
import { Moved, TransferToken } from "./transfers.js";

const SELECTOR_LENGTH = 10;

const hash = ["Transaction", (row) => html`<${TransactionLink} hash=${row.hash} />`];
const block = ["Block", (row) => html`<${BlockLink} number=${row.blockNumber} />`];
const time = ["Age", (row) => html`<${Time} seconds=${Number(row.timeStamp)} />`];
const from = ["From", (row) => html`<${AddressLink} address=${row.from} />`];
const value = ["Value", (row) => html`<${Coins} wei=${row.value} />`, "number"];

const to = [
  "To",
  (row) =>
    row.to
      ? html`<${AddressLink} address=${row.to} />`
      : html`<span class="soft">new</span> ${row.contractAddress && html`<${AddressLink} address=${row.contractAddress} />`}`,
];
const call = ["Call", (row) => html`<${Called} row=${row} />`];
const fee = [
  "Fee",
  (row) => html`<${Coins} wei=${String(BigInt(row.gasUsed) * BigInt(row.gasPrice))} />`,
  "number",
];

/** What a transaction calls, by the name of the function where a verified ABI knows it. */
export function Called({ row: { to: receiver, input, functionName, isError } }) {
  const failed = isError === "1" && html` <span class="problem">failed</span>`;
  if (!receiver) return html`<span class="badge">create</span>${failed}`;
  const [name] = (functionName ?? "").split("(");
  if (name) return html`<span class="badge"><${Name} text=${name} /></span>${failed}`;
  if (input.length < SELECTOR_LENGTH) return html`<span class="badge">payment</span>${failed}`;
  return html`<span class="badge"><code>${input.slice(0, SELECTOR_LENGTH)}</code></span>${failed}`;
}

export const transactionColumns = [hash, call, block, time, from, to, value, fee];
export const blockTransactionColumns = [hash, call, from, to, value, fee];

export const blockColumns = [
  block,
  time,
  ["Transactions", ({ txsCount }) => txsCount, "number"],
  [
    "Gas used",
    ({ gasUsed, gasLimit }) => {
      const used = percent(gasUsed, gasLimit);
      return html`<span class="nowrap"><${Bar} percent=${used} label=${`${used} % of the gas limit`} /> ${used} %</span>`;
    },
  ],
  [
    "Base fee",
    ({ baseFeePerGas }) => baseFeePerGas && html`<${Gwei} wei=${baseFeePerGas} />`,
    "number",
  ],
  ["Fees", ({ fees }) => html`<${Coins} wei=${fees} />`, "number"],
  ["Recipient", ({ miner }) => html`<${AddressLink} address=${miner} />`],
];

export const transferColumns = [
  hash,
  block,
  time,
  from,
  to,
  ["Amount", (transfer) => html`<${Moved} transfer=${transfer} />`, "number"],
  ["Token", (transfer) => html`<${TransferToken} transfer=${transfer} />`],
];

export const internalColumns = [
  ["Transaction", (row) => html`<${TransactionLink} hash=${row.transactionHash} />`],
  block,
  time,
  [
    "Kind",
    (row) =>
      html`<span class="badge">${row.callType || row.type}</span>${row.isError === "1" && html` <span class="problem">${cleaned(row.errCode)}</span>`}`,
  ],
  from,
  to,
  value,
];

export const tokenColumns = [
  [
    "Token",
    (row) =>
      html`<${TokenLink} address=${row.contractAddress} name=${row.name} symbol=${row.symbol} />`,
  ],
  ["Name", (row) => html`<${Name} text=${row.name} />`],
  ["Standard", (row) => row.type],
  ["Id", (row) => row.id && html`<span class="number">#${row.id}</span>`],
  [
    "Balance",
    (row) => html`<${Amount} value=${row.balance} decimals=${row.decimals || 0} />`,
    "number",
  ],
];

export const logColumns = [
  ["Transaction", (row) => html`<${TransactionLink} hash=${row.transactionHash} />`],
  ["Block", (row) => html`<${BlockLink} number=${Number(row.blockNumber)} />`],
  ["Age", (row) => html`<${Time} seconds=${Number(row.timeStamp)} />`],
  [
    "Topics",
    (row) =>
      html`<ol class="topics" start="0">${row.topics.filter(Boolean).map((topic) => html`<li><code title=${topic}>${shortHash(topic)}</code></li>`)}</ol>`,
  ],
  [
    "Data",
    (row) => html`<code class="data">${row.data.slice(0, 66)}${row.data.length > 66 && "…"}</code>`,
  ],
];

export const minedColumns = [
  block,
  time,
  ["Reward", ({ blockReward }) => html`<${Coins} wei=${blockReward} />`, "number"],
];

const GWEI_DECIMALS = 9;

export const withdrawalColumns = [
  ["Index", ({ withdrawalIndex }) => withdrawalIndex],
  ["Validator", ({ validatorIndex }) => validatorIndex],
  block,
  ["Age", ({ timestamp }) => html`<${Time} seconds=${Number(timestamp)} />`],
  [
    "Amount",
    ({ amount }) => html`<${Amount} value=${amount} decimals=${GWEI_DECIMALS} />`,
    "number",
  ],
];
