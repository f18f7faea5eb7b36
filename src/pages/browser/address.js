// The page of an address: an account, or a contract.

import { action, actionV2, rpc, sourcify } from "./base/api.js";
import { cleaned, grouped } from "./base/format.js";
import { useAnswer, usePart } from "./base/hooks.js";
import { html } from "./base/html.js";
import { Label, useLabel } from "./base/names.js";
import { subjectOfPage as address, chainId } from "./base/surroundings.js";
import { Approvals, approvalList } from "./contract/approvals.js";
import { Code } from "./contract/code.js";
import { Functions } from "./contract/functions.js";
import { show } from "./parts/frame.js";
import {
  Address,
  Coins,
  Facts,
  Title,
  TokenLink,
  TransactionLink,
  Waiting,
} from "./parts/parts.js";
import {
  internalColumns,
  logColumns,
  minedColumns,
  ownOperationColumns,
  ownTransactionColumns,
  ownTransferColumns,
  ownWithdrawalColumns,
  tokenColumns,
} from "./parts/records.js";
import { List } from "./parts/table.js";
import { Tabs } from "./parts/tabs.js";

const ofAddress = (title, name, more) => (paging) =>
  actionV2(title, "account", name, { address, sort: "desc", ...more, ...paging });
const transfersOf = (kind, name) => ({
  what: `transfers of ${kind} tokens`,
  request: ofAddress(`Its transfers of ${kind} tokens`, name),
  columns: ownTransferColumns,
});

/** Lists by the part of the page that shows them. */
const LISTS = {
  transactions: {
    title: "Transactions",
    what: "transactions",
    request: ofAddress("Its transactions", "txlist"),
    columns: ownTransactionColumns,
  },
  transfers: { title: "Transfers", ...transfersOf("ERC-20", "tokentx") },
  nft: { title: "NFTs", ...transfersOf("ERC-721", "tokennfttx") },
  multi: { title: "ERC-1155", ...transfersOf("ERC-1155", "token1155tx") },
  internal: {
    title: "Internal",
    what: "internal transactions",
    request: ofAddress("Its internal transactions", "txlistinternal"),
    columns: internalColumns,
  },
  tokens: {
    title: "Tokens",
    what: "tokens",
    request: (paging) => action("What it holds", "account", "tokenlist", { address, ...paging }),
    columns: tokenColumns,
  },
  operations: {
    title: "User operations",
    what: "user operations",
    request: ofAddress("Its user operations", "userops"),
    columns: ownOperationColumns,
  },
  approvals: approvalList,
  logs: {
    title: "Logs",
    what: "logs",
    request: (paging) =>
      action("Its logs", "logs", "getLogs", {
        address,
        fromBlock: "0",
        toBlock: "latest",
        newest_first: "true",
        ...paging,
      }),
    columns: logColumns,
  },
  mined: {
    title: "Blocks",
    what: "blocks whose fees it got",
    request: (paging) =>
      actionV2("Blocks whose fees it got", "account", "getminedblocks", { address, ...paging }),
    columns: minedColumns,
  },
  withdrawals: {
    title: "Withdrawals",
    what: "withdrawals",
    request: ofAddress("Withdrawals to it", "txsBeaconWithdrawal"),
    columns: ownWithdrawalColumns,
  },
};
const CODE_PARTS = ["code", "read", "write"];
const PARTS = [...Object.keys(LISTS), ...CODE_PARTS];
/** Rows that a tab counts; more are shown as so many and a plus. */
const COUNTED = 10;

/** Tabs of the lists that hold something, with how many rows; the one that is shown and the first stand always. */
function useListTabs(part) {
  const counts = Object.entries(LISTS).map(([key, { request }]) => [
    key,
    useAnswer(
      key === "transactions"
        ? null
        : {
            ...request({ page: 1, offset: COUNTED + 1 }),
            title: `Whether there are ${LISTS[key].what}`,
          },
      "branch",
    ).value?.length,
  ]);
  return counts
    .filter(([key, count]) => key === "transactions" || key === part || count > 0)
    .map(([key, count]) => [
      key,
      LISTS[key].title,
      count > COUNTED ? `${COUNTED}+` : count || undefined,
    ]);
}

function AddressPage() {
  const balance = useAnswer(action("Its balance", "account", "balance", { address }));
  const state = useAnswer(
    rpc("Its nonce and its code, of the node", [
      ["eth_getTransactionCount", [address, "latest"]],
      ["eth_getCode", [address, "latest"]],
    ]),
  );
  const creation = useAnswer(
    action("Who created it", "contract", "getcontractcreation", { contractaddresses: address }),
    "branch",
  );
  const label = useLabel(address);
  const abi = useAnswer(action("Its ABI", "contract", "getabi", { address }));
  const [nonce, code] = state.value ?? [];
  const [created] = creation.value ?? [];
  const isContract = created !== undefined || (typeof code === "string" && code !== "0x");
  const part = usePart("transactions", PARTS);
  const tabs = useListTabs(part);
  const verified = useAnswer(
    abi.value === undefined || chainId === ""
      ? null
      : sourcify(
          "How it was verified",
          `contract/${chainId}/${address}?fields=compilation,deployment,proof,proxyResolution`,
        ),
    "branch",
  );
  const name = verified.value?.compilation.name;
  const implementations = verified.value?.proxyResolution?.implementations ?? [];
  return html`
    <${Title} id=${address}>${label && html`<bdi>${label.nametag}</bdi> `}${name ? html`<bdi>${cleaned(name)}</bdi>` : isContract ? "Contract" : "Address"}<//>
    <${Facts} facts=${[
      [
        "Balance",
        balance.value === undefined
          ? html`<${Waiting} answer=${balance} what="the balance" />`
          : html`<${Coins} wei=${balance.value} isExact />`,
      ],
      ["Nonce", nonceOf(state, nonce)],
      !isContract && !state.isLoading && !creation.isLoading && ["Funded by", html`<${Funding} />`],
      label && ["Named", html`<${Named} label=${label} />`],
      isContract && ["Token", html`<${OwnToken} />`],
      created && [
        "Creator",
        html`<${Address} address=${created.contractCreator} /> ${created.txHash && html`<span class="soft">in <${TransactionLink} hash=${created.txHash} /></span>`}`,
      ],
      isContract && ["Source", html`<${Verification} abi=${abi} verified=${verified.value} />`],
      verified.value?.proxyResolution?.isProxy && [
        "Proxy of",
        implementations.map(
          ({ address: implementation, name: named }) =>
            html`<${Address} address=${implementation.toLowerCase()} name=${named} part="#code" />${" "}`,
        ),
      ],
    ]} />
    <${Tabs} label="Parts of the page" current=${part} tabs=${[
      ...tabs,
      ...(isContract ? [["code", "Contract"]] : []),
      ...(isContract && abi.value
        ? [
            ["read", "Read"],
            ["write", "Write"],
          ]
        : []),
    ]} />
    ${part === "code" && html`<${Code} bytecode=${code} abi=${abi.value} isVerified=${abi.isLoading ? undefined : abi.value !== undefined} verified=${verified.value} />`}
    ${(part === "read" || part === "write") && (abi.value ? html`<${Functions} key=${part} kind=${part} abi=${abi.value} implementations=${implementations} />` : html`<${Waiting} answer=${abi} what="its ABI" />`)}
    ${part === "approvals" && html`<${Approvals} file=${`${address}-approvals.csv`} />`}
    ${part !== "approvals" && !CODE_PARTS.includes(part) && html`<${List} key=${part} ...${LISTS[part]} title=${undefined} file=${`${address}-${part}.csv`} />`}
  `;
}

/** Shows the label of the address. */
function Named({ label }) {
  const { url, labels, shortdescription } = label;
  return html`<${Label} label=${label} /> ${labels.map((tag) => html`<span class="badge"><bdi>${tag}</bdi></span> `)}
    <span class="soft">by the operator${shortdescription && html`: <bdi>${shortdescription}</bdi>`}</span>
    ${url && html` <a href=${url} rel="noopener nofollow">${url}</a>`}`;
}

function nonceOf(state, nonce) {
  if (typeof nonce === "string") return grouped(BigInt(nonce));
  if (nonce instanceof Error) return html`<span class="problem">${nonce.message}</span>`;
  return html`<${Waiting} answer=${state} what="the nonce" />`;
}

/** Who funded the account first. */
function Funding() {
  const answer = useAnswer(
    actionV2("Who funded it first", "account", "fundedby", { address }),
    "branch",
  );
  const { fundingTxn, fundingAddress, value } = answer.value ?? {};
  if (!fundingTxn) return html`<span class="soft">${answer.isLoading ? "…" : "unknown"}</span>`;
  return html`<${Address} address=${fundingAddress} /> <span class="soft">with <${Coins} wei=${value} /> in <${TransactionLink} hash=${fundingTxn} /></span>`;
}

/** The token that the contract is. */
function OwnToken() {
  const answer = useAnswer(
    action("The token that it is", "token", "getToken", { contractaddress: address }),
    "branch",
  );
  if (!answer.value) return html`<span class="soft">${answer.isLoading ? "…" : "none"}</span>`;
  const { symbol, name } = answer.value;
  return html`<${TokenLink} address=${address} symbol=${symbol} name=${name} />`;
}

function Verification({ abi, verified }) {
  if (abi.isLoading) return html`<span class="soft">…</span>`;
  if (!abi.value) return html`<span class="status">Not verified</span>`;
  const isExact = verified?.match === "exact_match";
  return html`<span class="status good">Verified</span> <span class="soft">${verified && (isExact ? "exactly: sources and settings are those of the deployment" : "its sources make the same code")}</span>`;
}

show(AddressPage);
