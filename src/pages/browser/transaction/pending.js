// Transactions that are in no block: those that wait, and what became of those that waited.

import { useEffect, useState } from "preact/hooks";
import { actionV2, ask, rpc } from "../base/api.js";
import { grouped } from "../base/format.js";
import { head } from "../base/heads.js";
import { useAnswer } from "../base/hooks.js";
import { html } from "../base/html.js";
import { Decoded } from "../decoding/decoded.js";
import { useGuessedCall } from "../decoding/dictionary.js";
import { Data } from "../parts/hexdata.js";
import { Address, Coins, Facts, Gwei, Section, TransactionLink } from "../parts/parts.js";

const NEWEST = 100;

/** Remembers who sent a transaction, so that this browser can say later what replaced it. */
const memory = {
  keyOf: (hash) => `sent ${hash}`,
  read(hash) {
    return JSON.parse(sessionStorage.getItem(memory.keyOf(hash)) ?? "null");
  },
  write(hash, { from, nonce }) {
    sessionStorage.setItem(memory.keyOf(hash), JSON.stringify({ from, nonce: Number(nonce) }));
  },
};

/** The request for a transaction wherever it is. */
export function sentRequest(hash) {
  return rpc("The transaction as it was sent", [["eth_getTransactionByHash", [hash]]]);
}

/** A transaction that the index does not have: it waits, or it is gone, as `wasMined` says. */
export function Unmined({ hash, wasMined }) {
  const answer = useAnswer(sentRequest(hash));
  const [sent] = answer.value ?? [];
  if (sent?.blockHash || sent?.from === undefined) {
    return answer.isLoading ? null : html`<${Gone} hash=${hash} wasMined=${wasMined} />`;
  }
  return html`<${Waits} hash=${hash} sent=${sent} />`;
}

function Waits({ hash, sent }) {
  const guess = useGuessedCall(sent.input, sent.input !== "0x" && Boolean(sent.to));
  useEffect(() => memory.write(hash, sent), [hash]);
  const decimal = (quantity) => String(BigInt(quantity));
  return html`
    <${Facts} facts=${[
      [
        "Status",
        html`<span class="status wait">Pending</span> <span class="soft">It waits in the node's pool; this page shows it as soon as it is mined.</span>`,
      ],
      ["From", html`<${Address} address=${sent.from} isWhole />`],
      sent.to
        ? ["To", html`<${Address} address=${sent.to} isWhole />`]
        : ["Creates", html`<span class="soft">a contract</span>`],
      ["Value", html`<${Coins} wei=${decimal(sent.value)} isExact />`],
      ["Nonce", grouped(BigInt(sent.nonce))],
      ["Gas limit", grouped(BigInt(sent.gas))],
      [
        "Gas price",
        sent.maxFeePerGas
          ? html`at most <${Gwei} wei=${decimal(sent.maxFeePerGas)} isExact /><span class="soft">, priority at most <${Gwei} wei=${decimal(sent.maxPriorityFeePerGas)} isExact /></span>`
          : html`<${Gwei} wei=${decimal(sent.gasPrice)} isExact />`,
      ],
      guess && ["Call", html`<${Decoded} ...${guess} isGuess />`],
    ]} />
    ${sent.input !== "0x" && html`<${Section} id="input" title="Input"><${Data} hex=${sent.input} label="Input of the transaction" /><//>`}
  `;
}

/** What became of a transaction that is neither mined nor waits. */
function Gone({ hash, wasMined }) {
  const { version } = head.use();
  const [found, setFound] = useState(null);
  const sender = memory.read(hash);
  useEffect(() => {
    if (sender) void findReplacement(sender).then(setFound, () => {});
  }, [version]);
  if (found?.by && found.by !== hash) {
    return html`<p class="card"><span class="status bad">Replaced</span> Its sender's transaction with the same nonce was mined in its place: <${TransactionLink} hash=${found.by} />.</p>`;
  }
  const text = wasMined
    ? "Its block was rolled back, and it does not wait in the node's pool. This page shows it again if it is mined."
    : sender
      ? "It no longer waits in the node's pool, and no transaction took its place yet. If it is sent again, this page shows it as soon as it is mined."
      : "This server knows no such transaction. If it was sent just now: this page shows it as soon as it is mined.";
  return html`<p class="card" role="status"><span class="status bad">${wasMined ? "Rolled back" : sender ? "Dropped" : "Unknown"}</span> ${text}</p>`;
}

/** The mined transaction of a sender with a nonce. */
async function findReplacement({ from, nonce }) {
  const [count] = await ask(
    rpc("The sender's nonce", [["eth_getTransactionCount", [from, "latest"]]]),
  );
  if (!(Number(count) > nonce)) return null;
  const rows = await ask(
    actionV2("What replaced it", "account", "txlist", {
      address: from,
      filter_by: "from",
      sort: "desc",
      offset: NEWEST,
    }),
  );
  return { by: rows.find((row) => row.from === from && Number(row.nonce) === nonce)?.hash };
}
