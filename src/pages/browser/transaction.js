// The page of a transaction: everything that matters of it, at once.

import { useState } from "preact/hooks";
import { action } from "./api.js";
import { InternalCalls } from "./calls.js";
import { Decoded } from "./decoded.js";
import { cleaned, grouped, percent } from "./format.js";
import { show } from "./frame.js";
import { Data } from "./hexdata.js";
import { useAnswer } from "./hooks.js";
import { html } from "./html.js";
import {
  AddressLink,
  Bar,
  BlockLink,
  Coins,
  Copy,
  Facts,
  Gwei,
  Section,
  Time,
  Waiting,
} from "./parts.js";
import { subjectOfPage as hash } from "./surroundings.js";
import { Transfers } from "./transfers.js";

const TYPES = {
  0: "legacy",
  1: "with access list (EIP-2930)",
  2: "with priority fee (EIP-1559)",
  3: "with blobs (EIP-4844)",
  4: "with authorisations (EIP-7702)",
};
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

function Transaction() {
  const answer = useAnswer(
    action("The transaction", "transaction", "gettxinfo", { txhash: hash, details: "true" }),
  );
  const { value: transaction } = answer;
  return html`
    <h1>Transaction</h1>
    <p class="subject"><code class="hash">${hash}</code> <${Copy} text=${hash} label="Copy hash" /></p>
    ${transaction ? html`<${Overview} transaction=${transaction} />` : html`<${Waiting} answer=${answer} what="the transaction" />`}
    <${Transfers} hash=${hash} />
    <${InternalCalls} hash=${hash} isTraced=${transaction?.details.traced} />
    ${transaction && html`<${Logs} first=${transaction} />`}
    ${
      transaction &&
      html`<${Section} id="input" title="Input">
        <${Data} hex=${transaction.input} label="Input of the transaction" />
      <//>
      <${Section} id="raw" title="Raw">
        <details><summary>The API's answer</summary><pre tabindex="0"><code>${JSON.stringify(transaction, null, 2).slice(0, 200_000)}</code></pre></details>
      <//>`
    }
  `;
}

function Overview({ transaction }) {
  const { details } = transaction;
  const names = new Map(details.contracts.map(({ address, name }) => [address, name]));
  const receiver = transaction.to || details.contractAddress;
  const fee = String(BigInt(transaction.gasUsed) * BigInt(transaction.gasPrice));
  const used = percent(transaction.gasUsed, transaction.gasLimit);
  return html`
    <div class="card">
      <${Facts} facts=${[
        ["Status", html`<${Status} transaction=${transaction} />`],
        [
          "Block",
          html`<${BlockLink} number=${transaction.blockNumber} /> <span class="soft">position ${details.transactionIndex}, ${grouped(transaction.confirmations)} confirmations</span>`,
        ],
        ["Time", html`<${Time} seconds=${Number(transaction.timeStamp)} isWhole />`],
        [
          "From",
          html`<${AddressLink} address=${transaction.from} isWhole /> <${Copy} text=${transaction.from} />`,
        ],
        [
          transaction.to ? "To" : "Created",
          receiver
            ? html`<${AddressLink} address=${receiver} isWhole /> ${names.has(receiver) && html`<span class="badge"><bdi>${cleaned(names.get(receiver))}</bdi></span>`} <${Copy} text=${receiver} />`
            : html`<span class="soft">a contract, which did not come to be</span>`,
        ],
        ["Value", html`<${Coins} wei=${transaction.value} />`],
        ["Fee", html`<${Coins} wei=${fee} />`],
        [
          "Gas",
          html`${grouped(transaction.gasUsed)} of ${grouped(transaction.gasLimit)} <${Bar} percent=${used} label=${`${used} % of the gas used`} /> <span class="soft nowrap">${used} %</span>`,
        ],
        ["Gas price", html`<${Price} transaction=${transaction} />`],
        [
          "Kind",
          html`${TYPES[details.type] ?? `type ${details.type}`}, <span class="soft">nonce ${grouped(details.nonce)}</span>`,
        ],
        ...(details.authorizations
          ? [
              [
                "Delegations",
                details.authorizations.map((one) => html`<${Delegation} one=${one} />`),
              ],
            ]
          : []),
      ]} />
    </div>
    ${
      transaction.to &&
      transaction.input !== "0x" &&
      html`<${Section} id="call" title="Call">
        ${details.call ? html`<${Decoded} ...${details.call} />` : html`<p class="empty">No verified ABI tells what <code class="data">${transaction.input.slice(0, 10)}</code> means.</p>`}
      <//>`
    }
  `;
}

/** An authorization of EIP-7702: which account runs whose code from now on. */
function Delegation({ one: { authority, delegate, chainId, nonce, valid } }) {
  const who = authority ? html`<${AddressLink} address=${authority} />` : "an unknown account";
  const isEnd = BigInt(delegate) === 0n;
  return html`<div>${who} ${isEnd ? "delegates no more" : html`to <${AddressLink} address=${delegate} />`}
    <span class="soft">${chainId === "0" ? "any chain" : `chain ${chainId}`}, nonce ${grouped(nonce)}</span>
    ${!valid && html`<span class="badge">not valid</span>`}</div>`;
}

function Price({ transaction: { gasPrice, details } }) {
  return html`<${Gwei} wei=${gasPrice} />
    ${
      details.baseFeePerGas !== "" &&
      html` <span class="soft">base fee <${Gwei} wei=${details.baseFeePerGas} />${
        details.maxFeePerGas !== "" &&
        html`, at most <${Gwei} wei=${details.maxFeePerGas} />, priority at most <${Gwei} wei=${details.maxPriorityFeePerGas} />`
      }</span>`
    }`;
}

/** Whether it succeeded, and why not, in words. */
function Status({ transaction: { success, revertReason, details } }) {
  if (success) return html`<span class="status good">Success</span>`;
  if (details.txreceipt_status === "" && details.error === "") {
    return html`<span class="status">Unknown</span> <span class="soft">its receipt, from before Byzantium, does not tell</span>`;
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

/** The logs, fifty at a time. */
function Logs({ first }) {
  const [after, setAfter] = useState(null);
  const further = useAnswer(
    after === null
      ? null
      : action("Its further logs", "transaction", "gettxinfo", {
          txhash: hash,
          details: "true",
          index: after,
        }),
  );
  const page = after === null ? first : further.value;
  const count = Number(first.details.logsCount);
  const next = page?.next_page_params?.index;
  return html`<${Section} id="logs" title="Logs" aside=${html`<span class="soft">${grouped(count)}</span>`}>
    ${count === 0 && html`<p class="empty">It logged nothing.</p>`}
    ${!page && html`<${Waiting} answer=${further} what="logs" />`}
    <ol class="logs">
      ${page?.logs.map((log, place) => html`<${Log} key=${log.index} log=${log} decoded=${page.details.logs[place]} contracts=${page.details.contracts} />`)}
    </ol>
    ${
      (after !== null || next !== undefined) &&
      html`<nav class="pages" aria-label="Pages of logs">
        <button type="button" disabled=${after === null} onClick=${() => setAfter(null)}>First</button>
        <button type="button" disabled=${next === undefined} onClick=${() => setAfter(String(next))}>Next</button>
      </nav>`
    }
  <//>`;
}

function Log({ log, decoded, contracts }) {
  const name = contracts.find(({ address }) => address === log.address)?.name;
  const topics = log.topics.filter((topic) => topic !== null);
  return html`<li class="card">
    <p class="heading"><span><span class="soft">#${log.index}</span> <${AddressLink} address=${log.address} isWhole /> ${name && html`<span class="badge"><bdi>${cleaned(name)}</bdi></span>`}</span></p>
    ${decoded && html`<${Decoded} ...${decoded} />`}
    <details open=${!decoded}>
      <summary>${topics.length} topics, ${(log.data.length - 2) / 2} bytes</summary>
      <ol class="topics" start="0">${topics.map((topic) => html`<li><code class="data">${topic}</code></li>`)}</ol>
      <${Data} hex=${log.data} label=${`Data of log ${log.index}`} />
    </details>
  </li>`;
}

show(Transaction);
