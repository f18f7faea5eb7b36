// The page of a token.

import { action, actionV2, rpc } from "./base/api.js";
import { cleaned, grouped, percent } from "./base/format.js";
import { useAnswer, usePart } from "./base/hooks.js";
import { html } from "./base/html.js";
import { subjectOfPage as token } from "./base/surroundings.js";
import { show } from "./parts/frame.js";
import { Address, Amount, Bar, Facts, Name, Title, TokenLink, Waiting } from "./parts/parts.js";
import { transferColumns } from "./parts/records.js";
import { List } from "./parts/table.js";
import { Tabs } from "./parts/tabs.js";

const TRANSFERS = {
  "ERC-20": "tokentx",
  "ERC-404": "token404tx",
  "ERC-721": "tokennfttx",
  "ERC-1155": "token1155tx",
};
/** What a link asks for behind `?a=`, as other explorers have it: a holder, or an id of an ERC-721 token. */
const asked = new URLSearchParams(location.search).get("a");
const holder = /^0x[0-9a-f]{40}$/i.test(asked) ? asked.toLowerCase() : null;
const id = /^\d{1,78}$/.test(asked) && BigInt(asked) < 2n ** 256n ? BigInt(asked) : null;
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const OWNER_OF = "0x6352211e";
const WORD_LENGTH = 66;
const PARTS = [
  ["transfers", "Transfers"],
  ["holders", "Holders"],
];
const NAMES = PARTS.map(([name]) => name);
const WITHOUT_TOKEN = transferColumns.filter(([title]) => title !== "Token");

function Token() {
  const answer = useAnswer(action("The token", "token", "getToken", { contractaddress: token }));
  const count = useAnswer(
    action("How many hold it", "token", "tokenholdercount", { contractaddress: token }),
  );
  const part = usePart("transfers", NAMES);
  const { value: facts } = answer;
  if (!facts) return html`<h1>Token</h1><${Waiting} answer=${answer} what="the token" />`;
  const { decimals, symbol, totalSupply, type } = facts;
  const isOne = id !== null && type === "ERC-721";
  return html`
    <${Title} id=${token}><${Name} text=${facts.name} fallback="Token without a name" /> ${symbol && html`<span class="soft">(<bdi>${cleaned(symbol, 40)}</bdi>)</span>`}<//>
    <${Facts} facts=${[
      ["Standard", type],
      [
        "Supply",
        totalSupply === ""
          ? html`<span class="soft">the contract does not say</span>`
          : html`<${Amount} value=${totalSupply} decimals=${decimals || 0} isExact />`,
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
        html`<${Address} address=${holder} isWhole part="#tokens" /> <span class="soft">alone; <${TokenLink} address=${token} symbol="show all" /></span>`,
      ],
      holder && ["Holds", html`<${Holding} decimals=${decimals} />`],
      isOne && [
        "Id",
        html`<span class="number">#${grouped(id)}</span> <span class="soft">alone; <${TokenLink} address=${token} symbol="show all" /></span>`,
      ],
      isOne && ["Owner", html`<${Owner} />`],
      ["Contract", html`<${Address} address=${token} isWhole part="#code" />`],
    ]} />
    ${asked && !holder && !isOne && html`<p class="problem">The link names no address and no id of an ERC-721 token after <code>a=</code>, so this is of all holders.</p>`}
    <${Tabs} label="Parts of the page" tabs=${PARTS} current=${part} />
    ${
      part === "holders"
        ? html`<${Holders} key="holders" facts=${facts} />`
        : html`<${List}
            key="transfers"
            what=${isOne ? "transfers with this id as a topic" : "transfers"}
            file=${`${token}${holder ? `-${holder}` : isOne ? `-${id}` : ""}-transfers.csv`}
            request=${isOne ? transfersOfId : transfersOf(type)}
            columns=${WITHOUT_TOKEN}
          />`
    }
  `;
}

const transfersOf = (type) => (paging) =>
  actionV2("Its transfers", "account", TRANSFERS[type], {
    contractaddress: token,
    ...(holder && { address: holder }),
    sort: "desc",
    ...paging,
  });

/** The transfers of the link's id, as records of transfers. */
function transfersOfId(paging) {
  const logs = action("Transfers of the id", "logs", "getLogs", {
    address: token,
    fromBlock: "0",
    toBlock: "latest",
    topic0: TRANSFER,
    topic3: wordOf(id),
    topic0_3_opr: "and",
    newest_first: "true",
    ...paging,
  });
  return { ...logs, read: (answer) => logs.read(answer).map(transferIn) };
}

function transferIn({ transactionHash, blockNumber, timeStamp, topics }) {
  return {
    hash: transactionHash,
    blockNumber: Number(blockNumber),
    timeStamp: Number(timeStamp),
    from: addressIn(topics[1]),
    to: addressIn(topics[2]),
    tokenID: String(id),
  };
}

const wordOf = (number) => `0x${number.toString(16).padStart(WORD_LENGTH - 2, "0")}`;
const addressIn = (word) => `0x${word.slice(-40)}`;

/** Who owns the link's id. */
function Owner() {
  const answer = useAnswer(
    rpc("Who owns the id, of the node", [
      ["eth_call", [{ to: token, data: OWNER_OF + wordOf(id).slice(2) }, "latest"]],
    ]),
  );
  if (answer.value === undefined) return html`<${Waiting} answer=${answer} what="the owner" />`;
  const [word] = answer.value;
  return word?.length === WORD_LENGTH
    ? html`<${Address} address=${addressIn(word)} isWhole />`
    : html`<span class="soft">the contract names none</span>`;
}

/** What the holder of the link holds: an amount, or how many tokens. */
function Holding({ decimals }) {
  const answer = useAnswer(
    action("What it holds", "account", "tokenbalance", { contractaddress: token, address: holder }),
  );
  if (answer.value === undefined) return html`<${Waiting} answer=${answer} what="what it holds" />`;
  return html`<${Amount} value=${answer.value} decimals=${decimals || 0} isExact />`;
}

/** The holders with their shares; of the supply where it is known in the same unit. */
function Holders({ facts: { decimals, totalSupply, type } }) {
  const hasShares = totalSupply !== "" && totalSupply !== "0" && type !== "ERC-1155";
  const share = [
    "Share",
    ({ value }) => {
      const part = percent(value, totalSupply);
      return html`<${Bar} percent=${part} label=${`${part} % of the supply`} /> ${part} %`;
    },
    "first end",
  ];
  return html`<${List}
    what="holders"
    file=${`${token}-holders.csv`}
    request=${(paging) => action("Its holders, the largest first", "token", "getTokenHolders", { contractaddress: token, ...paging })}
    columns=${[
      ["Holder", ({ address }) => html`<${Address} address=${address} isWhole />`, "second"],
      [
        "Amount",
        ({ value }) => html`<${Amount} value=${value} decimals=${decimals || 0} />`,
        "number first",
      ],
      ...(hasShares ? [share] : []),
    ]}
  />`;
}

show(Token);
