// The page of the chain: what is new on it, how its index is, and what this server can do.

import { useEffect, useState } from "preact/hooks";
import { action, actionV2, curlOf, report } from "./base/api.js";
import { cleaned, dollarsOf, grouped, percent } from "./base/format.js";
import { useAnswer, usePrice } from "./base/hooks.js";
import { html } from "./base/html.js";
import { at, chainId, networkName } from "./base/surroundings.js";
import { Chart } from "./parts/chart.js";
import { show } from "./parts/frame.js";
import {
  Address,
  BlockLink,
  Coins,
  Copy,
  Section,
  Time,
  TransactionLink,
  Waiting,
} from "./parts/parts.js";
import { Called } from "./parts/records.js";
import { Progress, State, Synchronisation, useHealth } from "./parts/synchronisation.js";
import { List, Table } from "./parts/table.js";

const NEWEST = 10;
const PICTURED = 50;
const NETWORK_MS = 30_000;
const LONGEST_DETAIL = 500;
/** One, in wei. */
const COIN = 10n ** 18n;
const DOCUMENTS = [
  ["Reference", "docs"],
  ["OpenAPI", "openapi.json"],
  ["Health", "health"],
  ["Metrics", "metrics"],
];
const BLOCK_COLUMNS = [
  ["Block", ({ blockNumber }) => html`<${BlockLink} number=${blockNumber} />`, "first"],
  ["Age", ({ timeStamp }) => html`<${Time} seconds=${Number(timeStamp)} />`, "first end"],
  ["Transactions", ({ txsCount }) => grouped(txsCount), "number second label"],
];
const TRANSACTION_COLUMNS = [
  ["Transaction", ({ hash }) => html`<${TransactionLink} hash=${hash} />`, "first"],
  ["Call", (row) => html`<${Called} row=${row} />`, "first"],
  ["From", ({ from }) => html`<${Address} address=${from} />`, "second"],
  ["Value", ({ value }) => html`<${Coins} wei=${value} />`, "number first end"],
];

function Home() {
  const health = useHealth();
  // Figures, picture and list come from one answer: they never differ.
  const blocks = useAnswer(
    action("The newest blocks", "block", "listblocks", { offset: PICTURED }),
  );
  return html`
    <div class="heading">
      <h1><bdi>${networkName}</bdi></h1>
      <${State} health=${health} />
    </div>
    <${Progress} indexer=${health.report?.indexer} />
    ${blocks.value?.length > 0 && html`<${Activity} blocks=${blocks.value} />`}
    <div class="columns">
      <${Section} id="blocks" title="Newest blocks" aside=${html`<a href=${at("blocks")}>All blocks</a>`}>
        ${blocks.value ? html`<div class="list"><${Table} caption="blocks" rows=${blocks.value.slice(0, NEWEST)} columns=${BLOCK_COLUMNS} /></div>` : html`<${Waiting} answer=${blocks} what="blocks" />`}
      <//>
      <${List}
        id="transactions"
        title="Newest transactions"
        aside=${html`<a href=${at("txs")}>All transactions</a>`}
        what="transactions"
        isPaged=${false}
        rows=${NEWEST}
        request=${({ offset }) => actionV2("The newest transactions", "transaction", "listtransactions", { offset })}
        columns=${TRANSACTION_COLUMNS}
      />
    </div>
    <${Synchronisation} health=${health} />
    <${Server} />
  `;
}

/** The chain in figures, and its newest blocks as a picture. */
function Activity({ blocks }) {
  const [newest] = blocks;
  const oldest = blocks.at(-1);
  const seconds = Number(newest.timeStamp) - Number(oldest.timeStamp);
  const count = blocks.reduce((sum, { txsCount }) => sum + Number(txsCount), 0);
  const spread = blocks.length - 1;
  const price = usePrice();
  const figures = [
    ["Newest block", html`<${BlockLink} number=${newest.blockNumber} />`],
    spread > 0 && ["Block time", `${rounded(seconds / spread)} s`],
    ["Transactions per block", rounded(count / blocks.length)],
    newest.baseFeePerGas !== "" && ["Base fee", html`<${Coins} wei=${newest.baseFeePerGas} />`],
    ["Gas used", `${percent(newest.gasUsed, newest.gasLimit)} %`],
    price && ["Price", dollarsOf(COIN, price)],
  ].filter(Boolean);
  const shown = blocks.toReversed();
  return html`<div class="activity">
    <dl class="figures card">
      ${figures.map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}
    </dl>
    <figure class="card">
      <figcaption class="soft">Transactions in the last ${blocks.length} blocks</figcaption>
      <${Chart}
        label=${`Transactions in blocks ${oldest.blockNumber} to ${newest.blockNumber}`}
        places=${shown.map(({ blockNumber }) => Number(blockNumber))}
        lines=${[{ values: shown.map(({ txsCount }) => Number(txsCount)), colour: "accent", isBars: true, format: (value) => (Number.isInteger(value) ? grouped(value) : "") }]}
        formatPlace=${grouped}
      />
    </figure>
  </div>`;
}

const rounded = (number) => String(Number(number.toPrecision(3)));

/** What is on and off and why, and where to ask. */
function Server() {
  const [count, setCount] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setCount((number) => number + 1), NETWORK_MS);
    return () => clearInterval(timer);
  }, []);
  const { value: network } = useAnswer(
    report("This server", "pages/network.json"),
    "nothing",
    count,
  );
  return html`
    <${Section} id="server" title="On this server">
      <ul class="card features">
        ${network?.features.map(
          ({ name, on, detail }) => html`<li key=${name} data-on=${String(on)}>
            <span class="mark" aria-hidden="true"></span>
            <div><strong>${cleaned(name)}: ${on ? "on" : "off"}</strong> <span class="soft">${cleaned(detail, LONGEST_DETAIL)}</span></div>
          </li>`,
        )}
      </ul>
    <//>
    <${Section} id="addresses" title="Addresses for clients" aside=${html`<span class="links">${DOCUMENTS.map(([title, path]) => html`<a href=${at(path)}>${title}</a>`)}</span>`}>
      <ul class="card addresses">
        ${addresses().map(([title, url]) => html`<li key=${title}><span class="soft">${title}</span> <code>${url}</code> <${Copy} text=${url} /></li>`)}
      </ul>
    <//>
    <${Section} id="examples" title="Try it">
      <ul class="examples">
        ${network?.examples.map(({ title, path, body }) => {
          const command = curlOf({ path: path.slice(1), body });
          return html`<li key=${path} class="card"><div class="heading"><span>${cleaned(title)}</span> <${Copy} text=${command} /></div><pre tabindex="0"><code>${command}</code></pre></li>`;
        })}
      </ul>
    <//>
  `;
}

function addresses() {
  return [
    ["Blockscout's dialect", at("api")],
    ["Etherscan's dialect (V2)", `${at("v2/api")}${chainId === "" ? "" : `?chainid=${chainId}`}`],
    ["JSON-RPC", at("api/eth-rpc")],
    ["Heads as they come", at("events")],
  ];
}

show(Home);
