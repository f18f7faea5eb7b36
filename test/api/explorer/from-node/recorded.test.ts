import { afterAll, beforeAll, inject } from "vitest";
import type { Address } from "../../../../src/core/evm/address.ts";
import type { Hex } from "../../../../src/core/evm/hex.ts";
import { createTestApp, type TestApp } from "../../../support/app.ts";
import { addressAt } from "../../../support/build.ts";
import { startTestIndexer } from "../../../support/indexer.ts";
import { recordedCases } from "../../../support/recorded-cases.ts";
import {
  balanceOfData,
  TOTAL_SUPPLY_DATA,
  TRANSFER,
  word,
} from "../../../support/scripted-node/ledger.ts";
import { type ScriptedNode, startScriptedNode } from "../../../support/scripted-node.ts";
import { save } from "../../../support/verified-contract.ts";

// Answers that a node has a part in, of a chain that never changes.

const [ALICE, BOB] = [addressAt(0xa11ce), addressAt(0xb0b)];
const TOKEN = addressAt(0xc0de);
const [USD_FEED, BTC_FEED] = [addressAt(0xfeed1), addressAt(0xfeed2)];
const UNKNOWN = `0x${"ab".repeat(32)}`;
const ABI = [
  {
    type: "function",
    name: "totalSupply",
    stateMutability: "view",
    inputs: [],
    outputs: [{ name: "", type: "uint256" }],
  },
  {
    type: "function",
    name: "fails",
    stateMutability: "view",
    inputs: [{ name: "amount", type: "uint256" }],
    outputs: [],
  },
];

const WAITING = {
  hash: `0x${"cd".repeat(32)}`,
  from: ALICE,
  to: null,
  nonce: "0x2",
  value: "0x0",
  gas: "0x5208",
  gasPrice: "0x3b9aca00",
  input: "0x6000",
};

/** An aggregator's answer, with two decimals. */
function feed(to: Address, answer: bigint) {
  const round = [7n, answer, 1n, 1_751_500_800n, 7n].map((value) => word(value).slice(2));
  return [
    { to, data: "0xfeaf968c", returns: `0x${round.join("")}` },
    { to, data: "0x313ce567", returns: word(2) },
  ] as const;
}

const node: ScriptedNode = await startScriptedNode();
for (const [method, result] of Object.entries({
  txpool_status: { pending: "0x1", queued: "0x0" },
  txpool_content: { pending: { [ALICE]: { 2: WAITING } }, queued: {} },
})) {
  node.fail({ method, effect: { kind: "lie", replace: () => result } });
}
node.chain.mine(
  {
    state: {
      balances: { [ALICE]: 10n ** 18n },
      code: { [TOKEN]: "0x01" },
      storage: [{ address: TOKEN, slot: "0x0", value: word(7) }],
      calls: [
        { to: TOKEN, data: TOTAL_SUPPLY_DATA, returns: word(500) },
        { to: TOKEN, data: balanceOfData(ALICE), returns: word(300) },
        ...feed(USD_FEED, 261_140n),
        ...feed(BTC_FEED, 3n),
      ],
    },
  },
  {
    transactions: [
      {
        from: ALICE,
        to: TOKEN,
        input: "0xa9059cbb",
        logs: [
          {
            address: TOKEN,
            topics: [TRANSFER, word(BigInt(ALICE)), word(BigInt(BOB))],
            data: word(9),
          },
        ],
      },
      { from: ALICE, to: BOB, valueWei: 5n, type: 0 },
    ],
  },
  { state: { calls: [{ to: TOKEN, data: TOTAL_SUPPLY_DATA, returns: word(700) }] } },
);
const mined = node.chain.at(2)?.block.transactions[0]?.hash;

let server: TestApp;
beforeAll(async () => {
  server = await createTestApp({ nodeUrl: node.url, priceFeeds: { usd: USD_FEED, btc: BTC_FEED } });
  const databaseUrl = new URL(inject("postgresUrl"));
  databaseUrl.pathname = server.sql.options.database;
  const indexer = startTestIndexer({ databaseUrl: databaseUrl.href, rpcUrls: [node.url] });
  await indexer.reach(node.chain.head.block.hash).finally(() => indexer.stop());
  const blockHash = node.chain.at(1)?.block.hash as Hex;
  await save(server.sql, { address: TOKEN, abi: JSON.stringify(ABI), methods: {}, blockHash });
});
afterAll(async () => {
  await server.close();
  await node.stop();
});

recordedCases(() => server.app, "account", {
  balance: {
    "at a block": `address=${ALICE}&tag=0x1`,
    "bad tag": `address=${ALICE}&tag=1`,
    "tag above the head": `address=${ALICE}&tag=0xff`,
  },
  balancehistory: {
    known: `address=${ALICE}&blockno=1`,
    "bad address": "address=0x12&blockno=1",
  },
  tokenbalancehistory: {
    known: `address=${ALICE}&contractaddress=${TOKEN}&blockno=1`,
    "bad address": `address=0x12&contractaddress=${TOKEN}&blockno=1`,
    "bad token": `address=${ALICE}&contractaddress=0x12&blockno=1`,
  },
  pendingtxlist: { waiting: `address=${ALICE}`, empty: `address=${BOB}` },
});

recordedCases(() => server.app, "stats", {
  ethprice: { known: "" },
  coinprice: { known: "" },
  tokensupplyhistory: {
    known: `contractaddress=${TOKEN}&blockno=1`,
    later: `contractaddress=${TOKEN}&blockno=3`,
  },
});

recordedCases(() => server.app, "contract", {
  readcontract: {
    known: `address=${TOKEN}&function=totalSupply`,
    "by its signature": `address=${TOKEN}&function=totalSupply()`,
    "a call that fails": `address=${TOKEN}&function=fails&arguments=["5"]`,
    "bad arguments": `address=${TOKEN}&function=fails&arguments=[]`,
    "no such function": `address=${TOKEN}&function=transfer`,
    "not verified": `address=${USD_FEED}&function=decimals`,
    "no function": `address=${TOKEN}`,
    bad: "address=0x12&function=totalSupply",
    nothing: "",
  },
});

recordedCases(() => server.app, "proxy", {
  eth_blockNumber: { known: "" },
  eth_getBlockByNumber: {
    known: "tag=0x2",
    "whole transactions": "tag=0x2&boolean=true",
    unknown: "tag=0xffff",
    "bad tag": "tag=2",
    "bad boolean": "tag=0x2&boolean=1",
  },
  eth_getBlockTransactionCountByNumber: {
    known: "tag=0x2",
    unknown: "tag=0xffff",
    bad: "tag=2",
    nothing: "",
  },
  eth_getUncleByBlockNumberAndIndex: {
    unknown: "tag=0x2&index=0x0",
    bad: "tag=0x2&index=0x",
    "no index": "tag=0x2",
    nothing: "",
  },
  eth_getTransactionByHash: {
    known: `txhash=${mined}`,
    unknown: `txhash=${UNKNOWN}`,
    bad: "txhash=0x12",
    nothing: "",
  },
  eth_getTransactionByBlockNumberAndIndex: {
    known: "tag=0x2&index=1",
    unknown: "tag=0x2&index=0x2",
    "bad tag": "tag=2&index=0x0",
    "bad index": "tag=0x2&index=-1",
    "no index": "tag=0x2",
    nothing: "",
  },
  eth_getTransactionReceipt: {
    known: `txhash=${mined}`,
    unknown: `txhash=${UNKNOWN}`,
    bad: "txhash=0x12",
    nothing: "",
  },
  eth_getTransactionCount: {
    known: `address=${ALICE}`,
    "at a block": `address=${ALICE}&tag=0x1`,
    "bad address": "address=0x12",
    "bad tag": `address=${ALICE}&tag=1`,
    nothing: "",
  },
  eth_getCode: {
    known: `address=${TOKEN}`,
    none: `address=${ALICE}`,
    "bad address": "address=0x12",
    "bad tag": `address=${TOKEN}&tag=1`,
    nothing: "",
  },
  eth_getStorageAt: {
    known: `address=${TOKEN}&position=0`,
    "bad position": `address=${TOKEN}&position=x`,
    "no position": `address=${TOKEN}`,
    nothing: "",
  },
  eth_call: {
    known: `to=${TOKEN}&data=${TOTAL_SUPPLY_DATA}`,
    "at a block": `to=${TOKEN}&data=${TOTAL_SUPPLY_DATA}&tag=0x1`,
    reverted: `to=${TOKEN}&data=0x12345678`,
    "bad data": `to=${TOKEN}&data=0x1`,
    "bad value": `to=${TOKEN}&value=0x`,
    "bad tag": `to=${TOKEN}&tag=1`,
    nothing: "",
  },
  eth_estimateGas: { known: `to=${BOB}`, "bad data": `to=${TOKEN}&data=0x1` },
  eth_gasPrice: { known: "" },
  eth_maxPriorityFeePerGas: { known: "" },
  eth_sendRawTransaction: { known: "hex=0x02f8", bad: "hex=0x2", nothing: "" },
});
