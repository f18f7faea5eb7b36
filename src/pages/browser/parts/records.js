// Columns of the lists, by the names of the API's fields.

import { cleaned, grouped, percent, shortHash } from "../base/format.js";
import { html } from "../base/html.js";
import { subjectOfPage } from "../base/surroundings.js";
import { Decoded, Guess } from "../decoding/decoded.js";
import { useGuessedEvent, useGuessedName } from "../decoding/dictionary.js";
import {
  Address,
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
const GWEI_DECIMALS = 9;

const hash = ["Transaction", (row) => html`<${TransactionLink} hash=${row.hash} />`, "first"];
const block = ["Block", (row) => html`<${BlockLink} number=${row.blockNumber} />`, "number"];
const time = ["Age", (row) => html`<${Time} seconds=${Number(row.timeStamp)} />`, "second end"];
const from = ["From", (row) => html`<${Address} address=${row.from} />`, "second"];
const value = ["Value", (row) => html`<${Coins} wei=${row.value} />`, "number first end"];
const to = [
  "To",
  (row) =>
    row.to
      ? html`<${Address} address=${row.to} />`
      : html`<span class="soft">new</span> <${Address} address=${row.contractAddress} />`,
  "second to",
];
const call = ["Call", (row) => html`<${Called} row=${row} />`, "first"];
/** True if the page's address gave or got. */
const direction = [
  "",
  ({ from: giver, to: getter }) => {
    const [kind, text] =
      giver === getter ? ["self", "self"] : giver === subjectOfPage ? ["out", "out"] : ["in", "in"];
    return html`<span class="direction" data-kind=${kind}>${text}</span>`;
  },
  "second",
];
const fee = ["Fee", (row) => html`<${Coins} wei=${feeOf(row)} hasUnit=${false} />`, "number"];

/** What a transaction cost its sender: gas, and the data on L1 where the chain has that. */
export function feeOf({ gasUsed, gasPrice, L1FeesPaid }) {
  return String(BigInt(gasUsed) * BigInt(gasPrice) + BigInt(L1FeesPaid || 0));
}

/** What a transaction calls, by the name of the function where a verified ABI knows it, else by a guess. */
export function Called({ row: { to: receiver, input = "", functionName, isError } }) {
  const failed = isError === "1" && html` <span class="problem">failed</span>`;
  const [name] = (functionName ?? "").split("(");
  const selector = input.slice(0, SELECTOR_LENGTH);
  const isCall = Boolean(receiver) && !name && input.length >= SELECTOR_LENGTH;
  const guess = useGuessedName(selector, isCall);
  if (!receiver) return html`<span class="badge">create</span>${failed}`;
  if (name) return html`<span class="badge"><${Name} text=${name} /></span>${failed}`;
  if (!isCall) return html`<span class="badge">payment</span>${failed}`;
  return guess
    ? html`<span class="badge" title=${selector}>${guess}</span> <${Guess} />${failed}`
    : html`<span class="badge"><code>${selector}</code></span>${failed}`;
}

export const transactionColumns = [hash, call, block, time, from, to, value, fee];
export const blockTransactionColumns = [hash, call, from, to, value, fee];
const withDirection = [from, direction, to];
export const ownTransactionColumns = [hash, call, block, time, ...withDirection, value, fee];

export const blockColumns = [
  ["Block", (row) => html`<${BlockLink} number=${row.blockNumber} />`, "first"],
  ["Age", (row) => html`<${Time} seconds=${Number(row.timeStamp)} />`, "first end"],
  ["Transactions", ({ txsCount }) => grouped(txsCount), "number second label"],
  [
    "Gas used",
    ({ gasUsed, gasLimit }) => {
      const used = percent(gasUsed, gasLimit);
      return html`<span class="nowrap"><${Bar} percent=${used} label=${`${used} % of the gas limit`} /> ${used} %</span>`;
    },
    "second end",
  ],
  [
    "Base fee",
    ({ baseFeePerGas }) => baseFeePerGas && html`<${Gwei} wei=${baseFeePerGas} />`,
    "number",
  ],
  ["Fees", ({ fees }) => html`<${Coins} wei=${fees} />`, "number"],
  ["Recipient", ({ miner }) => html`<${Address} address=${miner} />`],
];

const amount = ["Amount", (row) => html`<${Moved} transfer=${row} />`, "number first end"];
const ofToken = ["Token", (row) => html`<${TransferToken} transfer=${row} />`, "first end"];
export const transferColumns = [hash, block, time, from, to, amount, ofToken];
export const ownTransferColumns = [hash, block, time, ...withDirection, amount, ofToken];

export const internalColumns = [
  ["Transaction", (row) => html`<${TransactionLink} hash=${row.transactionHash} />`, "first"],
  block,
  time,
  [
    "Kind",
    (row) =>
      html`<span class="badge">${row.callType || row.type}</span>${row.isError === "1" && html` <span class="problem">${cleaned(row.errCode)}</span>`}`,
    "first",
  ],
  ...withDirection,
  value,
];

const account = ["Account", ({ sender }) => html`<${Address} address=${sender} />`, "first"];
const payer = [
  "Paid by",
  ({ paymaster }) =>
    paymaster
      ? html`<${Address} address=${paymaster} />`
      : html`<span class="soft">the account</span>`,
  "second",
];
const entryPoint = [
  "EntryPoint",
  (row) =>
    html`<${Address} address=${row.entryPoint} /> <span class="soft">${row.entryPointVersion ? `version ${row.entryPointVersion}` : "of its own"}</span>`,
  "second",
];
const outcome = [
  "Call",
  ({ isError }) =>
    isError === "1" ? html`<span class="problem">failed</span>` : html`<span>succeeded</span>`,
  "first end",
];
const cost = [
  "Cost",
  (row) => html`<${Coins} wei=${row.actualGasCost} hasUnit=${false} />`,
  "number",
];
const ofOperation = [outcome, payer, cost, entryPoint];
export const operationColumns = [account, ...ofOperation];
export const ownOperationColumns = [
  ["Transaction", (row) => html`<${TransactionLink} hash=${row.transactionHash} />`, "first"],
  block,
  time,
  ...ofOperation,
  ["Bundler", ({ bundler }) => html`<${Address} address=${bundler} />`],
];

export const tokenColumns = [
  [
    "Token",
    (row) =>
      html`<${TokenLink} address=${row.contractAddress} name=${row.name} symbol=${row.symbol} query=${`?a=${subjectOfPage}`} />`,
    "first",
  ],
  ["Name", (row) => html`<${Name} text=${row.name} />`, "second"],
  ["Standard", (row) => row.type, "second end"],
  ["Id", (row) => row.id && html`<span class="number">#${row.id}</span>`, "first end"],
  [
    "Balance",
    (row) => html`<${Amount} value=${row.balance} decimals=${row.decimals || 0} />`,
    "number first end",
  ],
];

/** A log in the words of the dictionary, or as it is. */
function Event({ log }) {
  const guess = useGuessedEvent(log);
  const topics = log.topics.filter(Boolean);
  if (guess) return html`<${Decoded} ...${guess} isGuess />`;
  return html`<ol class="topics" start="0">${topics.map((topic) => html`<li><code title=${topic}>${shortHash(topic)}</code></li>`)}</ol>
    ${log.data !== "0x" && html`<code class="data soft">${log.data.slice(0, 66)}${log.data.length > 66 && "…"}</code>`}`;
}

export const logColumns = [
  ["Transaction", (row) => html`<${TransactionLink} hash=${row.transactionHash} />`, "first"],
  ["Block", (row) => html`<${BlockLink} number=${Number(row.blockNumber)} />`, "number"],
  ["Age", (row) => html`<${Time} seconds=${Number(row.timeStamp)} />`, "first end"],
  ["Event", (row) => html`<${Event} log=${row} />`, "second"],
];

export const minedColumns = [
  ["Block", (row) => html`<${BlockLink} number=${row.blockNumber} />`, "first"],
  ["Age", (row) => html`<${Time} seconds=${Number(row.timeStamp)} />`, "second"],
  ["Reward", ({ blockReward }) => html`<${Coins} wei=${blockReward} />`, "number first end"],
];

const withdrawalColumns = [
  ["Index", ({ withdrawalIndex }) => grouped(withdrawalIndex), "first"],
  ["Validator", ({ validatorIndex }) => grouped(validatorIndex), "second label"],
  ["To", ({ address }) => html`<${Address} address=${address} />`, "second"],
  block,
  [
    "Age",
    ({ timestamp }) => timestamp && html`<${Time} seconds=${Number(timestamp)} />`,
    "second end",
  ],
  [
    "Amount",
    ({ amount }) => html`<${Amount} value=${amount} decimals=${GWEI_DECIMALS} isExact />`,
    "number first end",
  ],
];

export const uncleColumns = [
  ["Number", ({ blockNumber }) => html`<${BlockLink} number=${blockNumber} />`, "first"],
  ["Age", ({ timeStamp }) => html`<${Time} seconds=${Number(timeStamp)} />`, "first end"],
  ["Producer", ({ miner }) => html`<${Address} address=${miner} />`, "second"],
];

const isOther = ([title]) => title !== "Block" && title !== "Age";
export const blockWithdrawalColumns = withdrawalColumns.filter(isOther);
export const ownWithdrawalColumns = withdrawalColumns.filter(([title]) => title !== "To");
