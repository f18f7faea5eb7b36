// The page of a token.

import { action, actionV2 } from "./api.js";
import { cleaned, grouped, percent } from "./format.js";
import { show } from "./frame.js";
import { useAnswer, usePart } from "./hooks.js";
import { html } from "./html.js";
import { AddressLink, Amount, Bar, Copy, Facts, Name, TokenLink, Waiting } from "./parts.js";
import { transferColumns } from "./records.js";
import { subjectOfPage as token } from "./surroundings.js";
import { List } from "./table.js";
import { Tabs } from "./tabs.js";

const TRANSFERS = {
  "ERC-20": "tokentx",
  "ERC-404": "token404tx",
  "ERC-721": "tokennfttx",
  "ERC-1155": "token1155tx",
};
/** The holder whose transfers a link asks for, `?a=0x…`, as other explorers have it; null for all. */
const asked = new URLSearchParams(location.search).get("a");
const holder = /^0x[0-9a-f]{40}$/i.test(asked) ? asked.toLowerCase() : null;
const PARTS = [
  ["transfers", "Transfers"],
  ["holders", "Holders"],
];

function Token() {
  const answer = useAnswer(action("The token", "token", "getToken", { contractaddress: token }));
  const count = useAnswer(
    action("How many hold it", "token", "tokenholdercount", { contractaddress: token }),
  );
  const part = usePart("transfers");
  const { value: facts } = answer;
  if (!facts) return html`<h1>Token</h1><${Waiting} answer=${answer} what="the token" />`;
  const { decimals, symbol, totalSupply, type } = facts;
  return html`
    <h1><${Name} text=${facts.name} fallback="Token without a name" /> ${symbol && html`<span class="soft">(<bdi>${cleaned(symbol, 40)}</bdi>)</span>`}</h1>
    <p class="subject"><code class="hash">${token}</code> <${Copy} text=${token} label="Copy address" /></p>
    <div class="card">
      <${Facts} facts=${[
        ["Standard", type],
        [
          "Supply",
          totalSupply === ""
            ? html`<span class="soft">the contract does not tell</span>`
            : html`<${Amount} value=${totalSupply} decimals=${decimals || 0} />`,
        ],
        ["Decimals", decimals === "" ? html`<span class="soft">none</span>` : decimals],
        [
          "Holders",
          count.value === undefined
            ? html`<${Waiting} answer=${count} what="the holders" />`
            : grouped(count.value),
        ],
        holder && [
          "Holder",
          html`<${AddressLink} address=${holder} isWhole part="#tokens" /> <span class="soft">alone; <${TokenLink} address=${token} symbol="show all" /></span>`,
        ],
        holder && ["Holds", html`<${Holding} decimals=${decimals} />`],
        ["Contract", html`<${AddressLink} address=${token} isWhole part="#code" />`],
      ]} />
    </div>
    ${asked && !holder && html`<p class="problem">The link names no address after <code>a=</code>, so this is of all holders.</p>`}
    <${Tabs} label="Parts of the page" tabs=${PARTS} current=${part} />
    ${
      part === "holders"
        ? html`<${Holders} key="holders" facts=${facts} />`
        : html`<${List}
            key="transfers"
            what="transfers"
            file=${`${token}${holder ? `-${holder}` : ""}-transfers.csv`}
            request=${(paging) =>
              actionV2("Its transfers", "account", TRANSFERS[type], {
                contractaddress: token,
                ...(holder && { address: holder }),
                sort: "desc",
                ...paging,
              })}
            columns=${transferColumns.slice(0, -1)}
          />`
    }
  `;
}

/** What the holder of the link holds: an amount, or how many tokens. */
function Holding({ decimals }) {
  const answer = useAnswer(
    action("What it holds", "account", "tokenbalance", { contractaddress: token, address: holder }),
  );
  if (answer.value === undefined) return html`<${Waiting} answer=${answer} what="what it holds" />`;
  return html`<${Amount} value=${answer.value} decimals=${decimals || 0} />`;
}

/** The holders with their shares; of the supply where that is told and is of the same unit. */
function Holders({ facts: { decimals, totalSupply, type } }) {
  const hasShares = totalSupply !== "" && totalSupply !== "0" && type !== "ERC-1155";
  const share = [
    "Share",
    ({ value }) => {
      const part = percent(value, totalSupply);
      return html`<${Bar} percent=${part} label=${`${part} % of the supply`} /> ${part} %`;
    },
  ];
  return html`<${List}
    what="holders"
    file=${`${token}-holders.csv`}
    request=${(paging) => action("Its holders, the largest first", "token", "getTokenHolders", { contractaddress: token, ...paging })}
    columns=${[
      ["Holder", ({ address }) => html`<${AddressLink} address=${address} isWhole />`],
      [
        "Amount",
        ({ value }) => html`<${Amount} value=${value} decimals=${decimals || 0} />`,
        "number",
      ],
      ...(hasShares ? [share] : []),
    ]}
  />`;
}

show(Token);
