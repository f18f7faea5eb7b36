// The page of a transaction: everything that matters of it, at once.

import { useEffect, useRef } from "preact/hooks";
import { action, Unanswered } from "./base/api.js";
import { grouped, percent } from "./base/format.js";
import { useAnswer } from "./base/hooks.js";
import { html } from "./base/html.js";
import { noteNames } from "./base/names.js";
import { subjectOfPage as hash } from "./base/surroundings.js";
import { Decoded } from "./decoding/decoded.js";
import { useGuessedCall } from "./decoding/dictionary.js";
import { show } from "./parts/frame.js";
import { Data } from "./parts/hexdata.js";
import {
  Address,
  Bar,
  BlockLink,
  Coins,
  Facts,
  Gwei,
  Section,
  Time,
  Title,
  Waiting,
} from "./parts/parts.js";
import { Transfers } from "./parts/transfers.js";
import { InternalCalls } from "./transaction/calls.js";
import { ChainFields, Fee } from "./transaction/fees.js";
import { Logs } from "./transaction/logs.js";
import { Operations } from "./transaction/operations.js";
import { Status, useRevertLines } from "./transaction/outcome.js";
import { Unmined } from "./transaction/pending.js";
import { Summary } from "./transaction/summary.js";

const TYPES = {
  0: "legacy",
  1: "with access list (EIP-2930)",
  2: "with priority fee (EIP-1559)",
  3: "with blobs (EIP-4844)",
  4: "with authorisations (EIP-7702)",
  126: "deposit from L1",
};

function Transaction() {
  const answer = useAnswer(
    action("The transaction", "transaction", "gettxinfo", { txhash: hash, details: "true" }),
  );
  const wasMined = useRef(false);
  const { value: transaction, error } = answer;
  if (transaction) wasMined.current = true;
  return html`
    <${Title} id=${hash} idOf="hash">Transaction<//>
    ${
      transaction
        ? html`<${Mined} transaction=${transaction} />`
        : error && !(error instanceof Unanswered)
          ? html`<${Unmined} hash=${hash} wasMined=${wasMined.current} reason=${error.message} />`
          : html`<${Waiting} answer=${answer} what="the transaction" />`
    }
  `;
}

function Mined({ transaction }) {
  const { details } = transaction;
  useEffect(() => noteNames(details.contracts), [details]);
  return html`
    <${Summary} transaction=${transaction} />
    <${Overview} transaction=${transaction} />
    <${Call} transaction=${transaction} />
    ${details.chainFields && html`<${ChainFields} fields=${details.chainFields} />`}
    <${Operations} hash=${hash} />
    <${Transfers} hash=${hash} />
    <${InternalCalls} hash=${hash} isTraced=${details.traced} />
    <${Logs} hash=${hash} first=${transaction} />
    <${Section} id="input" title="Input" empty=${transaction.input === "0x" && "There is no input."}>
      <${Data} hex=${transaction.input} label="Input of the transaction" />
    <//>
    <${Section} id="raw" title="Raw">
      <details class="card"><summary>The API's answer</summary><pre tabindex="0"><code>${JSON.stringify(transaction, null, 2).slice(0, 200_000)}</code></pre></details>
    <//>
  `;
}

function Overview({ transaction }) {
  const { details } = transaction;
  const receiver = transaction.to || details.contractAddress;
  const used = percent(transaction.gasUsed, transaction.gasLimit);
  const mint = details.chainFields?.mint;
  const lines = useRevertLines(transaction);
  return html`<${Facts} facts=${[
    ["Status", html`<${Status} transaction=${transaction} />`],
    ["Failed at", lines],
    [
      "Block",
      html`<${BlockLink} number=${transaction.blockNumber} /> <span class="soft">position ${details.transactionIndex}, ${grouped(transaction.confirmations)} confirmations</span>`,
    ],
    ["Time", html`<${Time} seconds=${Number(transaction.timeStamp)} isWhole />`],
    ["From", html`<${Address} address=${transaction.from} isWhole />`],
    [
      transaction.to ? "To" : "Created",
      receiver
        ? html`<${Address} address=${receiver} isWhole />`
        : html`<span class="soft">a contract, which did not come to be</span>`,
    ],
    ["Value", html`<${Coins} wei=${transaction.value} isExact />`],
    mint && [
      "Minted",
      html`<${Coins} wei=${String(BigInt(mint))} isExact /> <span class="soft">to the sender, from L1</span>`,
    ],
    ["Fee", html`<${Fee} transaction=${transaction} />`],
    ["Gas price", html`<${Price} transaction=${transaction} />`],
    [
      "Gas",
      html`${grouped(transaction.gasUsed)} <span class="soft">of ${grouped(transaction.gasLimit)}</span> <${Bar} percent=${used} label=${`${used} % of the gas used`} /> <span class="soft nowrap">${used} %</span>`,
    ],
    [
      "Kind",
      html`${TYPES[details.type] ?? `type ${details.type}`}, <span class="soft">nonce ${grouped(details.nonce)}</span>`,
    ],
    details.authorizations && [
      "Delegations",
      details.authorizations.map((one) => html`<${Delegation} one=${one} />`),
    ],
  ]} />`;
}

/** The call by the receiver's verified ABI, else by a guess. */
function Call({ transaction: { to, input, details } }) {
  const isCall = to !== "" && input !== "0x";
  const guess = useGuessedCall(input, isCall && !details.call);
  const call = details.call ?? guess;
  if (!call) return null;
  return html`<${Section} id="call" title="Call"><div class="card"><${Decoded} ...${call} isGuess=${!details.call} /></div><//>`;
}

/** An authorization of EIP-7702: which account runs whose code from now on. */
function Delegation({ one: { authority, delegate, chainId, nonce, valid } }) {
  const who = authority ? html`<${Address} address=${authority} />` : "an unknown account";
  const isEnd = BigInt(delegate) === 0n;
  return html`<div>${who} ${isEnd ? "delegates no more" : html`to <${Address} address=${delegate} />`}
    <span class="soft">${chainId === "0" ? "any chain" : `chain ${chainId}`}, nonce ${grouped(nonce)}</span>
    ${!valid && html`<span class="badge">not valid</span>`}</div>`;
}

function Price({ transaction: { gasPrice, details } }) {
  return html`<${Gwei} wei=${gasPrice} isExact />
    ${
      details.baseFeePerGas !== "" &&
      html` <span class="soft">base fee <${Gwei} wei=${details.baseFeePerGas} isExact />${
        details.maxFeePerGas !== "" &&
        html`, at most <${Gwei} wei=${details.maxFeePerGas} isExact />, priority at most <${Gwei} wei=${details.maxPriorityFeePerGas} isExact />`
      }</span>`
    }`;
}

show(Transaction);
