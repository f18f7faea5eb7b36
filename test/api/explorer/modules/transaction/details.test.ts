import { encodeEventTopics, encodeFunctionData, parseAbi, toFunctionSelector } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Hex } from "../../../../../src/core/evm/hex.ts";
import { saveProxy } from "../../../../../src/store/contracts/proxies.ts";
import { createTestApp, type TestApp } from "../../../../support/app.ts";
import { ask } from "../../../../support/ask.ts";
import {
  addressAt,
  blockHash,
  blockTime,
  GWEI,
  publish,
  transactionHash,
  wordAt,
} from "../../../../support/build.ts";
import { recordedCases } from "../../../../support/recorded-cases.ts";
import { save } from "../../../../support/verified-contract.ts";

const HEAD = 9;
const LEDGER = addressAt(0x10);
const PROXY = addressAt(0x11);
const LIBRARY = addressAt(0x12);
const UPGRADED = addressAt(0x13);
const TOKEN = addressAt(0x20);
const ABI = parseAbi([
  "function pay(uint256 amount)",
  "event Paid(address indexed by, uint256 amount)",
]);
const LIBRARY_ABI = parseAbi(["error TooMuch(uint256 amount)"]);
const PAY = encodeFunctionData({ abi: ABI, functionName: "pay", args: [5n] });
const [PAID] = encodeEventTopics({ abi: ABI, eventName: "Paid", args: {} }) as Hex[];
const TOO_MUCH = `${toFunctionSelector("TooMuch(uint256)")}${"0".repeat(63)}5` as Hex;

let server: TestApp;
beforeAll(async () => {
  server = await createTestApp();
  await publish(server.sql, {
    blocks: Array.from({ length: HEAD + 2 }, (_, number) => ({ number, baseFeePerGas: GWEI })),
    transactions: [
      {
        blockNumber: 2,
        toAddress: LEDGER,
        input: PAY,
        nonce: 7n,
        type: 2,
        maxFeePerGas: 9n * GWEI,
      },
      { blockNumber: 2, transactionIndex: 1, toAddress: PROXY, input: PAY },
      { blockNumber: 3, toAddress: null, createdContract: addressAt(9), input: "0x6080" },
      { blockNumber: 4, toAddress: LEDGER, input: PAY, status: 0, revertData: TOO_MUCH },
      { blockNumber: 5, toAddress: addressAt(0x99), input: PAY },
      { blockNumber: 6, toAddress: UPGRADED, input: PAY },
      { blockNumber: HEAD + 1 },
    ],
    logs: [
      {
        blockNumber: 6,
        logIndex: 0,
        address: UPGRADED,
        topic0: PAID ?? null,
        topic1: wordAt(3),
        data: `0x${"0".repeat(63)}5`,
      },
      {
        blockNumber: 2,
        logIndex: 0,
        address: LEDGER,
        topic0: PAID ?? null,
        topic1: wordAt(3),
        data: `0x${"0".repeat(63)}5`,
      },
      { blockNumber: 2, logIndex: 1, address: addressAt(0x99), topic0: PAID ?? null },
    ],
    internalTransactions: [
      {
        blockNumber: 4,
        position: 1,
        toAddress: LIBRARY,
        error: "execution reverted",
        effective: false,
      },
      {
        blockNumber: 6,
        position: 1,
        callType: "delegatecall",
        fromAddress: UPGRADED,
        toAddress: LEDGER,
        input: PAY,
      },
    ],
    tokens: [{ address: TOKEN, name: "Gold", symbol: "AU", decimals: 3 }],
    tokenTransfers: [
      { blockNumber: 2, logIndex: 5, token: TOKEN, amount: 12n },
      { blockNumber: 2, logIndex: 6, token: TOKEN, standard: 1155, tokenId: 8n, batchIndex: 1 },
      { blockNumber: 2, logIndex: 6, token: TOKEN, standard: 1155, tokenId: 7n, batchIndex: 0 },
      { blockNumber: 2, logIndex: 9, transactionIndex: 1, token: TOKEN },
    ],
    syncState: { headNumber: HEAD, headTimestamp: blockTime(HEAD) },
  });
  await save(server.sql, { address: LEDGER, abi: JSON.stringify(ABI), methods: {} });
  await save(server.sql, { address: LIBRARY, abi: JSON.stringify(LIBRARY_ABI), methods: {} });
  await saveProxy(server.sql, {
    address: PROXY,
    kind: "eip1967",
    implementations: [LEDGER],
    conflicts: [],
    beacon: null,
    blockNumber: 1,
    blockHash: blockHash(1),
  });
});
afterAll(() => server.close());

recordedCases(() => server.app, "transaction", {
  listtransactions: {
    newest: "offset=2",
    "of one block": "startblock=2&endblock=2&sort=asc",
    empty: "startblock=7",
    window: "page=11&offset=1000",
  },
  listtransfers: {
    all: `txhash=${transactionHash(2)}`,
    paged: `txhash=${transactionHash(2)}&page=2&offset=2`,
    empty: `txhash=${transactionHash(3)}`,
    window: `txhash=${transactionHash(2)}&page=11&offset=1000`,
    bad: "txhash=0x12",
    nothing: "",
  },
  gettxinfo: {
    "details of a call": `txhash=${transactionHash(2)}&details=true`,
    "details of a failure": `txhash=${transactionHash(4)}&details=true`,
    "details of a creation": `txhash=${transactionHash(3)}&details=true`,
  },
});

const info = async (block: number, index = 0, more = "&details=true") => {
  const query = `module=transaction&action=gettxinfo&txhash=${transactionHash(block, index)}${more}`;
  return (await ask(server.app, query)).result;
};

test("details are there only for who asks, and the rest is the same", async () => {
  const { details, ...rest } = await info(2);
  expect(await info(2, 0, "")).toEqual(rest);
  expect(await info(2, 0, "&details=false")).toEqual(rest);
  expect(details).toMatchObject({
    blockHash: blockHash(2),
    transactionIndex: "0",
    type: "2",
    nonce: "7",
    contractAddress: "",
    maxFeePerGas: String(9n * GWEI),
    baseFeePerGas: String(GWEI),
    logsCount: "2",
    traced: true,
    contracts: [{ address: LEDGER, name: "Ledger" }],
  });
});

test("what a contract delegated to in the transaction tells its call and logs, but does not name it", async () => {
  const { details } = await info(6);
  const parameters = [{ name: "amount", type: "uint256", value: "5" }];
  expect(details.call).toEqual({ signature: "pay(uint256)", parameters });
  expect(details.logs[0]).toMatchObject({ signature: "Paid(address,uint256)" });
  expect(details.contracts).toEqual([]);
});

test("call and logs are told by verified ABIs, and others not at all", async () => {
  const { details } = await info(2);
  expect(details.call).toEqual({
    signature: "pay(uint256)",
    parameters: [{ name: "amount", type: "uint256", value: "5" }],
  });
  expect(details.logs[0].signature).toBe("Paid(address,uint256)");
  expect(details.logs[1]).toBeNull();
  expect((await info(5)).details.call).toBeNull();
});

test("a call of a proxy is told by the ABI of what it delegates to", async () => {
  expect((await info(2, 1)).details.call.signature).toBe("pay(uint256)");
});

test("a failure is told by the ABI of the contract within that it came from", async () => {
  expect((await info(4)).details.revert).toEqual({
    signature: "TooMuch(uint256)",
    parameters: [{ name: "amount", type: "uint256", value: "5" }],
  });
  expect((await info(2)).details.revert).toBeNull();
});

test("a creation names its contract and calls nothing", async () => {
  expect((await info(3)).details).toMatchObject({ contractAddress: addressAt(9), call: null });
});

test("the transfers of a transaction are those of all standards, in their order", async () => {
  const query = `module=transaction&action=listtransfers&txhash=${transactionHash(2)}`;
  const { result } = await ask(server.app, query);
  expect(
    result.map((row: Record<string, string>) => [
      row["logIndex"],
      row["tokenType"],
      row["tokenID"],
    ]),
  ).toEqual([
    ["5", "ERC-20", ""],
    ["6", "ERC-1155", "7"],
    ["6", "ERC-1155", "8"],
  ]);
  expect(result[0]).toMatchObject({ value: "12", tokenSymbol: "AU", tokenDecimal: "3" });
  const page = await ask(server.app, `${query}&page=2&offset=2`);
  expect(page.result.map((row: { tokenID: string }) => row.tokenID)).toEqual(["8"]);
  const none = await ask(
    server.app,
    `module=transaction&action=listtransfers&txhash=${transactionHash(3)}`,
  );
  expect(none).toMatchObject({ status: "0", message: "No token transfers found", result: [] });
});

test("transactions are listed from the head down, and of one block in either order", async () => {
  const list = async (query: string) =>
    (await ask(server.app, `module=transaction&action=listtransactions${query}`)).result.map(
      ({ hash }: { hash: string }) => hash,
    );
  const all = [[6], [5], [4], [3], [2, 1], [2, 0]].map(([block = 0, index]) =>
    transactionHash(block, index),
  );
  expect(await list("")).toEqual(all);
  expect(await list("&page=2&offset=2")).toEqual(all.slice(2, 4));
  expect(await list("&startblock=2&endblock=2&sort=asc")).toEqual(all.slice(4).toReversed());
});

test("a call of an account is told by the delegate that an earlier transaction set, before that of today", async () => {
  const { sql } = server;
  const account = addressAt(0x99);
  const authorize = (block: number, to: Hex, nonce: number) => sql`
    INSERT INTO delegations (authority, block_number, transaction_index, position, delegate, nonce)
    VALUES (${account}, ${block}, 0, 0, ${to}, ${nonce})`;
  await save(sql, {
    address: addressAt(0x15),
    abi: JSON.stringify(parseAbi(["function pay(uint256 later)"])),
    methods: {},
  });
  const others = async () => {
    const list = "module=transaction&action=listtransactions&startblock=5&endblock=5";
    const read = `module=contract&action=readcontract&address=${account}&function=pay`;
    const rows = (await ask(server.app, list, "/v2/api")).result;
    return [rows[0].functionName, (await ask(server.app, read)).message];
  };
  const methods = { [PAY.slice(2, 10)]: "pay(uint256 amount)" };
  await sql`UPDATE verified_contracts SET methods = ${sql.json(methods)} WHERE address = ${LEDGER}`;
  expect(await others()).toEqual(["", "Contract source code not verified"]);
  await authorize(3, LEDGER, 0);
  expect(await others()).toEqual(["pay(uint256 amount)", "No such function that only reads"]);
  await saveProxy(sql, {
    address: account,
    kind: "eip7702",
    implementations: [addressAt(0x15)],
    conflicts: [],
    beacon: null,
    blockNumber: HEAD,
    blockHash: blockHash(HEAD),
  });
  const { call } = (await info(5)).details;
  expect(call.parameters).toEqual([{ name: "amount", type: "uint256", value: "5" }]);
  await sql`DELETE FROM proxies WHERE address = ${account}`;
  await authorize(4, addressAt(0), 1);
  expect((await info(5)).details.call).toBeNull();
  expect((await others())[1]).toBe("Contract source code not verified");
});
