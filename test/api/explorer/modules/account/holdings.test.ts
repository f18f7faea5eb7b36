import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../../support/app.ts";
import { ask } from "../../../../support/ask.ts";
import { addressAt, blockTime, publish } from "../../../../support/build.ts";
import { recordedCases } from "../../../../support/recorded-cases.ts";

const HEAD = 9;
const ALICE = addressAt(0xa11ce);
const BOB = addressAt(0xb0b);
const CONTRACT = addressAt(0xc0de);
const PEARL = addressAt(0x20);
const NAMELESS = addressAt(0x21);
const BUOYS = addressAt(0x721);
const SHELLS = addressAt(0x1155);

let server: TestApp;
beforeAll(async () => {
  server = await createTestApp({ staticReward: 2n * 10n ** 18n });
  await publish(server.sql, {
    blocks: [
      ...Array.from({ length: HEAD + 1 }, (_, number) => ({
        number,
        ...(number >= 5 && { miner: ALICE, reward: BigInt(number) }),
      })),
      { number: HEAD + 1, miner: ALICE },
    ],
    transactions: [
      { blockNumber: 2, fromAddress: BOB, toAddress: ALICE, value: 0n },
      { blockNumber: 3, fromAddress: BOB, toAddress: ALICE, value: 7n, status: 0 },
      { blockNumber: 4, fromAddress: BOB, toAddress: CONTRACT, value: 9n },
      { blockNumber: 5, fromAddress: BOB, toAddress: ALICE, value: 11n },
      { blockNumber: HEAD + 1, fromAddress: CONTRACT, toAddress: BOB, value: 1n },
    ],
    internalTransactions: [
      {
        blockNumber: 3,
        position: 1,
        fromAddress: CONTRACT,
        toAddress: ALICE,
        value: 1n,
        effective: false,
      },
      { blockNumber: 4, position: 1, fromAddress: CONTRACT, toAddress: ALICE, value: 5n },
    ],
    contracts: [{ blockNumber: 1, address: CONTRACT }],
    withdrawals: [3, 4, 6, HEAD + 1].map((blockNumber) => ({
      blockNumber,
      withdrawalIndex: 80 + blockNumber,
      validatorIndex: 1203,
      address: ALICE,
      amount: 17_204_411n,
    })),
    addresses: [
      { address: ALICE, firstBlock: 2, balance: "3301200450000000000" },
      { address: BOB, firstBlock: 2 },
      { address: CONTRACT, firstBlock: 1, balance: "1" },
    ],
    tokens: [
      { address: PEARL, holderCount: 2 },
      { address: NAMELESS, name: null, symbol: null, decimals: null },
      { address: BUOYS, standard: 721, name: "Buoys", symbol: "BUOY", decimals: null },
      { address: SHELLS, standard: 1155, name: null, symbol: "SHL", decimals: null },
    ],
    tokenBalances: [
      { token: PEARL, owner: ALICE, amount: "884200100" },
      { token: PEARL, owner: BOB, amount: "0" },
      { token: NAMELESS, owner: ALICE, amount: "5" },
      { token: BUOYS, owner: ALICE, amount: "3" },
      { token: SHELLS, owner: ALICE, amount: "35" },
    ],
    tokenIdBalances: [
      { token: SHELLS, owner: ALICE, tokenId: "9", amount: "30" },
      { token: SHELLS, owner: ALICE, tokenId: "10", amount: "5" },
      { token: SHELLS, owner: ALICE, tokenId: "11", amount: "0" },
    ],
    nftOwners: [417n, 2n, 2n ** 256n - 1n].map((tokenId) => ({
      token: BUOYS,
      owner: ALICE,
      tokenId: String(tokenId),
    })),
    syncState: { headNumber: HEAD, headTimestamp: blockTime(HEAD) },
  });
});
afterAll(() => server.close());

recordedCases(() => server.app, "account", {
  balance: {
    one: `address=${ALICE}`,
    "one, twice": `address=${ALICE}, 0x${ALICE.slice(2).toUpperCase()},`,
    several: `address=${BOB},${ALICE}`,
    "one bad among several": `address=${BOB},0x12`,
    empty: "address=",
    nothing: "tag=latest",
  },
  balancemulti: {
    one: `address=${ALICE}`,
    several: `address=${CONTRACT},${ALICE},${BOB},${ALICE}`,
    "bad tag": `address=${ALICE}&tag=1`,
    bad: "address=0x12",
    nothing: "",
  },
  listaccounts: {
    all: "",
    paged: "page=2&offset=2",
    "past the end": "page=2",
    window: "page=11&offset=1000",
  },
  eth_get_balance: {
    latest: `address=${ALICE}`,
    pending: `address=${ALICE}&block=pending`,
    "block above the head": `address=${ALICE}&block=99999999999999999999`,
    "no address and a bad block": "block=0x10",
    "bad block before bad address": "address=0x12&block=0x10",
    "bad address": "address=0x12&block=latest",
    "unknown address": `address=${addressAt(0x999)}`,
    "negative block": `address=${ALICE}&block=-1`,
  },
  tokenbalance: {
    amount: `contractaddress=${PEARL}&address=${ALICE}&tag=latest`,
    "number of tokens": `contractaddress=${BUOYS}&address=${ALICE}`,
    "sum over the ids": `contractaddress=${SHELLS}&address=${ALICE}`,
    nothing: "",
    "no address": `contractaddress=${PEARL}`,
    "no token": `address=${ALICE}`,
    "bad tag": `contractaddress=${PEARL}&address=${ALICE}&tag=1`,
    "both bad": "contractaddress=0x1&address=0x2",
    "bad address": `contractaddress=${PEARL}&address=`,
  },
  tokenlist: {
    all: `address=${ALICE}`,
    paged: `address=${ALICE}&page=2&offset=3`,
    "none left": `address=${BOB}`,
    nothing: "",
    bad: "address=0x12",
  },
  getminedblocks: {
    all: `address=${ALICE}&sort=asc`,
    paged: `address=${ALICE}&page=2&offset=2`,
    "none, and no window": `address=${BOB}&page=101&offset=100`,
    uncles: `address=${ALICE}&blocktype=uncles`,
    nothing: "",
    bad: "address=0x12",
  },
  addresstokenbalance: {
    all: `address=${ALICE}`,
    paged: `address=${ALICE}&page=2&offset=1`,
    none: `address=${BOB}`,
    nothing: "",
    bad: "address=0x12",
    window: "page=101&offset=100",
  },
  addresstokennftbalance: {
    all: `address=${ALICE}`,
    none: `address=${BOB}`,
    nothing: "",
    bad: "address=0x12",
    window: "page=101&offset=100",
  },
  addresstokennftinventory: {
    all: `address=${ALICE}&contractaddress=${BUOYS}`,
    paged: `address=${ALICE}&contractaddress=${BUOYS}&page=2&offset=2`,
    "another token": `address=${ALICE}&contractaddress=${PEARL}`,
    nothing: "",
    "no token": `address=${ALICE}`,
    "bad token": `address=0x1&contractaddress=0x2`,
    "bad address": `address=0x1&contractaddress=${BUOYS}`,
    window: "page=101&offset=100",
    "offset above 1000, no window": `address=${ALICE}&contractaddress=${BUOYS}&page=1&offset=10000`,
  },
  fundedby: {
    "by a contract": `address=${ALICE}`,
    nobody: `address=${BOB}`,
    "a contract": `address=${CONTRACT}`,
    nothing: "",
    bad: "address=0x12",
  },
  txsBeaconWithdrawal: {
    all: `address=${ALICE}`,
    blocks: `address=${ALICE}&startblock=4&endblock=6&sort=asc`,
    paged: `address=${ALICE}&page=2&offset=2&sort=asc`,
    none: `address=${BOB}`,
    nothing: "",
    bad: "address=0x12",
    window: "page=101&offset=100",
  },
  balancehistory: {
    nothing: "",
    "no address": "blockno=1",
    "no block": `address=${ALICE}`,
    "bad block": `address=${ALICE}&blockno=0x1`,
    "above the head": `address=${ALICE}&blockno=${HEAD + 1}`,
  },
  tokenbalancehistory: {
    nothing: "",
    "no block": `address=${ALICE}&contractaddress=${PEARL}`,
    "bad block": `address=${ALICE}&contractaddress=${PEARL}&blockno=-1`,
    "above the head": `address=${ALICE}&contractaddress=${PEARL}&blockno=${HEAD + 1}`,
  },
  pendingtxlist: { nothing: "", bad: "address=0x12", window: "page=101&offset=100" },
});

test("a list is read as far as its thousandth comma", async () => {
  const list = async (blanks: number) =>
    ask(server.app, `module=account&action=balance&address=${",".repeat(blanks)}${ALICE}`);
  expect((await list(999)).status).toBe("1");
  expect((await list(1000)).message).toBe("Invalid address hash");
});

test("balance drops what follows the first twenty addresses", async () => {
  const addresses = Array.from({ length: 25 }, () => ALICE);
  const many = [...addresses.slice(0, 19), BOB, CONTRACT, "0x12"].join(",");
  const { result } = await ask(server.app, `module=account&action=balance&address=${many}`);
  expect(result.map(({ account }: { account: string }) => account)).toEqual([ALICE, BOB]);
});

test("a balance that only the node knows is refused with words while the node is away", async () => {
  const unseen = addressAt(0x999);
  const answer = await ask(server.app, `module=account&action=balance&address=${unseen}`);
  expect(answer).toEqual({
    httpStatus: 503,
    status: "0",
    message: "The node does not answer, please try again later",
    result: null,
  });
});
