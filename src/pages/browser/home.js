// The page of the chain: what is new on it, how its index is, and what this server can do.

import { useEffect, useState } from "preact/hooks";
import { action, actionV2, curlOf, report } from "./api.js";
import { cleaned } from "./format.js";
import { show } from "./frame.js";
import { useHead } from "./heads.js";
import { useAnswer } from "./hooks.js";
import { html } from "./html.js";
import {
  AddressLink,
  BlockLink,
  Coins,
  Copy,
  Section,
  Time,
  TransactionLink,
  Waiting,
} from "./parts.js";
import { Called } from "./records.js";
import { at, chainId, networkName } from "./surroundings.js";
import { State, Synchronisation, useHealth } from "./synchronisation.js";
import { List } from "./table.js";

const NEWEST = 8;
const NETWORK_MS = 30_000;
const LONGEST_DETAIL = 500;
const DOCUMENTS = [
  ["Reference", "docs"],
  ["OpenAPI", "openapi.json"],
  ["Health", "health"],
  ["Metrics", "metrics"],
];

function Home() {
  const head = useHead();
  const health = useHealth();
  // What is asked before the head is known would be asked again for the head.
  const Newest = head === null ? NotYet : List;
  return html`
    <h1><bdi>${networkName}</bdi></h1>
    <${State} health=${health} />
    <div class="columns">
      <${Section} id="blocks" title="Newest blocks" aside=${html`<a href=${at("blocks")}>All blocks</a>`}>
        <${Newest}
          what="blocks"
          isPaged=${false}
          rows=${NEWEST}
          version=${head}
          request=${({ offset }) => action("The newest blocks", "block", "listblocks", { offset })}
          columns=${[
            ["Block", ({ blockNumber }) => html`<${BlockLink} number=${blockNumber} />`],
            ["Age", ({ timeStamp }) => html`<${Time} seconds=${Number(timeStamp)} />`],
            ["Transactions", ({ txsCount }) => txsCount, "number"],
          ]}
        />
      <//>
      <${Section} id="transactions" title="Newest transactions" aside=${html`<a href=${at("txs")}>All transactions</a>`}>
        <${Newest}
          what="transactions"
          isPaged=${false}
          rows=${NEWEST}
          version=${head}
          request=${({ offset }) => actionV2("The newest transactions", "transaction", "listtransactions", { offset })}
          columns=${[
            ["Transaction", ({ hash }) => html`<${TransactionLink} hash=${hash} />`],
            ["Call", (row) => html`<${Called} row=${row} />`],
            ["From", ({ from }) => html`<${AddressLink} address=${from} />`],
            ["Value", ({ value }) => html`<${Coins} wei=${value} />`, "number"],
          ]}
        />
      <//>
    </div>
    <${Synchronisation} health=${health} />
    <${Server} />
  `;
}

function NotYet({ what }) {
  return html`<${Waiting} answer=${{}} what=${what} />`;
}

/** What is on and off and why, and where to ask. */
function Server() {
  const [version, setVersion] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setVersion((count) => count + 1), NETWORK_MS);
    return () => clearInterval(timer);
  }, []);
  const { value: network } = useAnswer(report("This server", "pages/network.json"), version);
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
