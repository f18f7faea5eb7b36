// The page of an address: an account, or a contract.

import { action, actionV2, rpc, sourcify } from "./api.js";
import { Code } from "./code.js";
import { cleaned, grouped } from "./format.js";
import { show } from "./frame.js";
import { useAnswer, usePart } from "./hooks.js";
import { html } from "./html.js";
import { AddressLink, Coins, Copy, Facts, TokenLink, TransactionLink, Waiting } from "./parts.js";
import { ReadContract } from "./read-contract.js";
import {
  internalColumns,
  logColumns,
  minedColumns,
  tokenColumns,
  transactionColumns,
  transferColumns,
  withdrawalColumns,
} from "./records.js";
import { subjectOfPage as address, chainId } from "./surroundings.js";
import { List } from "./table.js";
import { Tabs } from "./tabs.js";

const ofAddress =
  (title, module, name, more = {}) =>
  (paging) =>
    actionV2(title, module, name, { address, sort: "desc", ...more, ...paging });

/** Lists by the part of the page that shows them. */
const LISTS = {
  transactions: {
    title: "Transactions",
    what: "transactions",
    request: ofAddress("Its transactions", "account", "txlist"),
    columns: transactionColumns,
  },
  transfers: {
    title: "Transfers",
    what: "transfers of ERC-20 tokens",
    request: ofAddress("Its transfers of ERC-20 tokens", "account", "tokentx"),
    columns: transferColumns,
  },
  nft: {
    title: "NFTs",
    what: "transfers of ERC-721 tokens",
    request: ofAddress("Its transfers of ERC-721 tokens", "account", "tokennfttx"),
    columns: transferColumns,
  },
  multi: {
    title: "ERC-1155",
    what: "transfers of ERC-1155 tokens",
    request: ofAddress("Its transfers of ERC-1155 tokens", "account", "token1155tx"),
    columns: transferColumns,
  },
  internal: {
    title: "Internal",
    what: "internal transactions",
    request: ofAddress("Its internal transactions", "account", "txlistinternal"),
    columns: internalColumns,
  },
  tokens: {
    title: "Tokens",
    what: "tokens",
    request: (paging) => action("What it holds", "account", "tokenlist", { address, ...paging }),
    columns: tokenColumns,
  },
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
    request: ofAddress("Withdrawals to it", "account", "txsBeaconWithdrawal"),
    columns: withdrawalColumns,
  },
};
const CODE_PARTS = ["code", "read"];
const PARTS = [...Object.keys(LISTS), ...CODE_PARTS];

function Address() {
  const balance = useAnswer(action("Its balance", "account", "balance", { address }));
  const state = useAnswer(
    rpc("Its nonce and its code, of the node", [
      ["eth_getTransactionCount", [address, "latest"]],
      ["eth_getCode", [address, "latest"]],
    ]),
  );
  const creation = useAnswer(
    action("Who created it", "contract", "getcontractcreation", { contractaddresses: address }),
  );
  const abi = useAnswer(action("Its ABI", "contract", "getabi", { address }));
  const verified = useAnswer(
    abi.value === undefined || chainId === ""
      ? null
      : sourcify(
          "How it was verified",
          `contract/${chainId}/${address}?fields=compilation,deployment,proof,proxyResolution`,
        ),
  );
  const [nonce, code] = state.value ?? [];
  const [created] = creation.value ?? [];
  const isContract = created !== undefined || (typeof code === "string" && code !== "0x");
  const token = useAnswer(
    isContract
      ? action("The token that it is", "token", "getToken", { contractaddress: address })
      : null,
  );
  const isAccount = !isContract && !state.isLoading && !creation.isLoading;
  const { value: funding } = useAnswer(
    isAccount ? actionV2("Who funded it first", "account", "fundedby", { address }) : null,
  );
  const part = usePart("transactions", PARTS);
  const name = verified.value?.compilation.name;
  const tabs = [
    ...Object.entries(LISTS).map(([key, { title }]) => [key, title]),
    ...(isContract ? [["code", "Contract"]] : []),
    ...(isContract && abi.value ? [["read", "Read"]] : []),
  ];
  return html`
    <h1>${name ? html`<bdi>${cleaned(name)}</bdi>` : isContract ? "Contract" : "Address"}</h1>
    <p class="subject"><code class="hash">${address}</code> <${Copy} text=${address} label="Copy address" /></p>
    <div class="card">
      <${Facts} facts=${[
        [
          "Balance",
          balance.value === undefined
            ? html`<${Waiting} answer=${balance} what="the balance" />`
            : html`<${Coins} wei=${balance.value} />`,
        ],
        ["Nonce", nonceOf(state, nonce)],
        funding?.fundingTxn && [
          "Funded by",
          html`<${AddressLink} address=${funding.fundingAddress} /> <span class="soft">with <${Coins} wei=${funding.value} /> in <${TransactionLink} hash=${funding.fundingTxn} /></span>`,
        ],
        token.value && [
          "Token",
          html`<${TokenLink} address=${address} symbol=${token.value.symbol} name=${token.value.name} />`,
        ],
        created && [
          "Creator",
          html`<${AddressLink} address=${created.contractCreator} /> ${created.txHash && html`<span class="soft">in <${TransactionLink} hash=${created.txHash} /></span>`}`,
        ],
        isContract && ["Source", html`<${Verification} abi=${abi} verified=${verified.value} />`],
        verified.value?.proxyResolution?.isProxy && [
          "Proxy of",
          verified.value.proxyResolution.implementations.map(
            ({ address: implementation, name: named }) =>
              html`<${AddressLink} address=${implementation.toLowerCase()} name=${named} part="#code" />${" "}`,
          ),
        ],
      ].filter(Boolean)} />
    </div>
    <${Tabs} label="Parts of the page" tabs=${tabs} current=${part} />
    ${part === "code" && html`<${Code} bytecode=${code} abi=${abi.value} isVerified=${abi.isLoading ? undefined : abi.value !== undefined} verified=${verified.value} />`}
    ${part === "read" && (abi.value ? html`<${ReadContract} abi=${abi.value} implementations=${verified.value?.proxyResolution?.implementations ?? []} />` : html`<${Waiting} answer=${abi} what="its ABI" />`)}
    ${!CODE_PARTS.includes(part) && html`<${ListOf} key=${part} list=${LISTS[part]} part=${part} />`}
  `;
}

function nonceOf(state, nonce) {
  if (typeof nonce === "string") return grouped(BigInt(nonce));
  if (nonce instanceof Error) return html`<span class="problem">${nonce.message}</span>`;
  return html`<${Waiting} answer=${state} what="the nonce" />`;
}

function Verification({ abi, verified }) {
  if (abi.isLoading) return html`<span class="soft">…</span>`;
  if (!abi.value) return html`<span class="status">Not verified</span>`;
  const isExact = verified?.match === "exact_match";
  return html`<span class="status good">Verified</span> <span class="soft">${verified && (isExact ? "exactly: sources and settings are those of the deployment" : "its sources make the same code")}</span>`;
}

function ListOf({ list: { what, request, columns }, part }) {
  return html`<${List} what=${what} request=${request} columns=${columns} file=${`${address}-${part}.csv`} />`;
}

show(Address);
