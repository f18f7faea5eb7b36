import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import type { Hex } from "../../../src/core/evm/hex.ts";
import { type Anvil, startAnvil } from "../../support/anvil.ts";
import { createTestApp, type TestApp } from "../../support/app.ts";
import { addressAt, wordAt } from "../../support/build.ts";
import { startTestIndexer } from "../../support/indexer.ts";
import { createJsonRpc, type JsonRpc } from "../../support/oracle/json-rpc.ts";
import { createOracleReader, type Oracle } from "../../support/oracle/oracle.ts";
import { createRandom } from "../../support/world/random.ts";
import { deployWorld } from "../../support/world/world.ts";

const SLOW_NODE_MS = 30_000;
const SIZE = 5;

let anvil: Anvil;
let server: TestApp;
let rpc: JsonRpc;
let oracle: Oracle;
beforeAll(async () => {
  anvil = await startAnvil();
  const world = await deployWorld(anvil.url);
  await world.everything({ blobs: false });
  const random = createRandom(7);
  for (let step = 0; step < 3; step++) await world.step(random);
  rpc = createJsonRpc(anvil.url);
  server = await createTestApp({ nodeUrl: anvil.url });
  const databaseUrl = new URL(inject("postgresUrl"));
  databaseUrl.pathname = server.sql.options.database;
  const indexer = startTestIndexer({
    databaseUrl: databaseUrl.href,
    rpcUrls: [anvil.url],
    requestTimeoutMs: SLOW_NODE_MS,
  });
  oracle = await createOracleReader(anvil.url).read();
  await indexer.reach(oracle.head.hash);
  await indexer.stop();
});
afterAll(async () => {
  await server?.close();
  await anvil?.stop();
});

async function post(payload: object) {
  return server.app.inject({ method: "POST", url: "/ots", payload });
}

/** The answer to one call; its whole envelope when it is an error. */
async function ask(method: string, ...params: unknown[]) {
  const response = await post({ jsonrpc: "2.0", id: 1, method, params });
  expect(response.statusCode).toBe(200);
  const body = response.json();
  return "result" in body ? body.result : body;
}

/** Places of the transactions that an address takes part in, newest first, by brute force. */
function placesOf(address: Hex) {
  const isParty = (entry: { from: Hex; to: Hex | null; created: Hex | null }) =>
    [entry.from, entry.to, entry.created].includes(address);
  const entries = [...oracle.transactions, ...(oracle.internalTransactions ?? [])].filter(isParty);
  const places = new Map(
    entries.map(({ blockNumber: block, transactionIndex: index }) => [
      `${block} ${index}`,
      { block, index },
    ]),
  );
  return [...places.values()].sort(
    (one, other) => other.block - one.block || other.index - one.index,
  );
}

function hashAt({ block, index }: { block: number; index: number }) {
  return oracle.transactions.find(
    ({ blockNumber, transactionIndex }) => blockNumber === block && transactionIndex === index,
  )?.hash;
}

/** The matches of the first blocks with at least SIZE. */
function wholeBlocks(places: { block: number; index: number }[]) {
  const last = places[SIZE - 1]?.block;
  return places.filter(({ block }, place) => place < SIZE || block === last);
}

/** The addresses with the most transactions, and some of the others. */
function subjects(): Hex[] {
  const addresses = [...oracle.addresses.keys()].map((address) => ({
    address,
    count: placesOf(address).length,
  }));
  addresses.sort((one, other) => other.count - one.count);
  return [...addresses.slice(0, 4), ...addresses.slice(4).filter((_, n) => n % 9 === 0)].map(
    ({ address }) => address,
  );
}

describe("searches", () => {
  test("walk from the head to the first transaction, block by whole block", async () => {
    for (const address of subjects()) {
      const all = placesOf(address);
      let rest = all;
      let block: number | undefined = 0;
      do {
        const shown = wholeBlocks(rest);
        const answer = await ask("ots_searchTransactionsBefore", address, block, SIZE);
        rest = rest.slice(shown.length);
        expect(answer.txs.map(({ hash }: { hash: Hex }) => hash)).toEqual(shown.map(hashAt));
        expect(answer.receipts.map((one: { transactionHash: Hex }) => one.transactionHash)).toEqual(
          shown.map(hashAt),
        );
        expect([answer.firstPage, answer.lastPage]).toEqual([block === 0, rest.length === 0]);
        block = shown.at(-1)?.block;
      } while (rest.length > 0);
    }
  });

  test("walk from the first transaction to the head, each page newest first", async () => {
    for (const address of subjects()) {
      let rest = placesOf(address).reverse();
      let block = 0;
      do {
        const shown = wholeBlocks(rest);
        const answer = await ask("ots_searchTransactionsAfter", address, block, SIZE);
        rest = rest.slice(shown.length);
        expect(answer.txs.map(({ hash }: { hash: Hex }) => hash)).toEqual(
          shown.toReversed().map(hashAt),
        );
        expect([answer.firstPage, answer.lastPage]).toEqual([rest.length === 0, block === 0]);
        block = shown.at(-1)?.block ?? 0;
      } while (rest.length > 0);
    }
  });

  test("an unknown address has one empty page; receipts have the time and no logs", async () => {
    const none = { txs: [], receipts: [], firstPage: true, lastPage: true };
    expect(await ask("ots_searchTransactionsBefore", addressAt(0xabc), 0, 25)).toEqual(none);
    const [from] = await rpc.request<Hex[]>("eth_accounts");
    const { receipts } = await ask("ots_searchTransactionsBefore", from, "latest", 1);
    const block = oracle.blocks.find(({ number }) => number === Number(receipts[0].blockNumber));
    expect(Number(receipts[0].timestamp)).toBe(Number(block?.timestamp));
    expect(receipts[0]).toMatchObject({ logs: null, logsBloom: null });
  });
});

test("creators, senders' nonces and code are those of the node", async () => {
  for (const { from, nonce, hash } of oracle.transactions) {
    if (from !== oracle.transactions[0]?.from && Number(nonce) > 2) continue;
    expect(await ask("ots_getTransactionBySenderAndNonce", from, Number(nonce))).toBe(hash);
  }
  const [account] = await rpc.request<Hex[]>("eth_accounts");
  expect(await ask("ots_getTransactionBySenderAndNonce", account, "0xffffff")).toBeNull();
  const created = oracle.creations.filter((_, index) => index % 4 === 0);
  for (const { address, blockNumber } of created) {
    const theirs = await rpc.request("ots_getContractCreator", address);
    const code = await rpc.request<Hex>("eth_getCode", address, "latest");
    expect(await ask("ots_getContractCreator", address)).toEqual(code === "0x" ? null : theirs);
    for (const block of [blockNumber - 1, oracle.head.number]) {
      const tag = `0x${block.toString(16)}`;
      const there = (await rpc.request("eth_getCode", address, tag)) !== "0x";
      expect([block, await ask("ots_hasCode", address, block)]).toEqual([block, there]);
    }
  }
});

test("operations are the lasting frames that move value, create or destroy", async () => {
  const kinds = ["call", "selfdestruct", "create", "create2"];
  let seen = 0;
  for (const { hash, blockNumber, transactionIndex } of oracle.transactions) {
    const expected = (oracle.internalTransactions ?? [])
      .filter(
        (frame) =>
          frame.blockNumber === blockNumber &&
          frame.transactionIndex === transactionIndex &&
          frame.position > 0 &&
          frame.effective &&
          (frame.type !== "call" || frame.value > 0n),
      )
      .map(({ type, from, to, created, value }) => ({
        type: kinds.indexOf(type),
        from,
        to: created ?? to,
        value: `0x${value.toString(16)}`,
      }));
    seen += expected.length;
    if (expected.length > 0) expect(await ask("ots_getInternalOperations", hash)).toEqual(expected);
  }
  expect(seen).toBeGreaterThan(10);
});

test("a trace lists the tracer's frames depth first; an error is the data of the revert", async () => {
  interface Frame {
    type: string;
    from: Hex;
    to?: Hex;
    input: Hex;
    error?: string;
    calls?: Frame[];
  }
  const flat = (frame: Frame, depth = 0): object[] => [
    { type: frame.type, depth, from: frame.from, input: frame.input },
    ...(frame.calls ?? []).flatMap((call) => flat(call, depth + 1)),
  ];
  for (const { hash, revertData, succeeded } of oracle.transactions.filter((_, n) => n % 5 === 0)) {
    const options = { tracer: "callTracer" };
    const tree = await rpc.request<Frame>("debug_traceTransaction", hash, options);
    const entries = await ask("ots_traceTransaction", hash);
    expect(
      entries.map(({ type, depth, from, input }: Record<string, unknown>) => ({
        type,
        depth,
        from,
        input,
      })),
    ).toEqual(flat(tree));
    const error = succeeded ? "0x" : (revertData ?? "0x");
    expect(await ask("ots_getTransactionError", hash)).toBe(error);
  }
  expect(await ask("ots_traceTransaction", wordAt(1))).toBeNull();
  expect(await ask("ots_getTransactionError", wordAt(1))).toBe("0x");
});

test("pages of a block count from its end, and the details add up its fees", async () => {
  const counts = Map.groupBy(oracle.transactions, ({ blockNumber }) => blockNumber);
  const [number, own] =
    [...counts].sort(([, one], [, other]) => other.length - one.length)[0] ?? [];
  if (number === undefined || !own) throw new Error("no block has transactions");
  expect(own.length).toBeGreaterThan(2);
  const hashes = own.map(({ hash }) => hash);
  const pages = [hashes.slice(-2), hashes.slice(-4, -2)];
  for (const [page, expected] of pages.entries()) {
    const { fullblock, receipts } = await ask("ots_getBlockTransactions", number, page, 2);
    expect(fullblock.transactions.map(({ hash }: { hash: Hex }) => hash)).toEqual(expected);
    expect(receipts.map((one: { transactionHash: Hex }) => one.transactionHash)).toEqual(expected);
    expect(fullblock.transactionCount).toBe(own.length);
    for (const { input } of fullblock.transactions) expect(input.length).toBeLessThan(11);
  }
  const beyond = await ask("ots_getBlockTransactions", number, 1000, 25);
  expect([beyond.fullblock.transactions, beyond.receipts]).toEqual([[], []]);
  const tag = `0x${number.toString(16)}`;
  const { transactions, ...header } = await rpc.request<Record<string, unknown>>(
    "eth_getBlockByNumber",
    tag,
    false,
  );
  const fees = own.reduce((sum, { gasUsed, gasPrice }) => sum + gasUsed * gasPrice, 0n);
  const details = {
    block: { ...header, logsBloom: null, transactionCount: own.length },
    issuance: { blockReward: "0x0", uncleReward: "0x0", issuance: "0x0" },
    totalFees: `0x${fees.toString(16)}`,
  };
  expect(await ask("ots_getBlockDetails", number)).toEqual(details);
  expect(await ask("ots_getBlockDetailsByHash", header["hash"])).toEqual(details);
  expect(await ask("erigon_getHeaderByNumber", number)).toEqual(header);
  expect(await ask("ots_getBlockDetails", oracle.head.number + 1)).toBeNull();
});

test("the methods beside those of the app answer as the node does", async () => {
  const [account] = await rpc.request<Hex[]>("eth_accounts");
  const { hash } = oracle.transactions[0] ?? {};
  const token = [...oracle.tokens.values()].find(({ standard }) => standard === 20)?.address;
  const call = { to: token, data: "0x18160ddd", value: null };
  for (const [method, ...params] of [
    ["net_version"],
    ["eth_chainId"],
    ["eth_syncing"],
    ["eth_blockNumber"],
    ["eth_getBlockByNumber", "latest", false],
    ["eth_getBlockByHash", oracle.head.hash, true],
    ["eth_getBalance", account, "latest"],
    ["eth_getCode", token, "latest"],
    ["eth_getTransactionCount", account, "latest"],
    ["eth_getStorageAt", token, "0x0", "latest"],
    ["eth_getBlockReceipts", "latest"],
    ["eth_feeHistory", "0x2", "latest", []],
    ["eth_call", { ...call }, "latest"],
  ] as const) {
    const theirs = await rpc.request(method, ...params);
    expect([method, await ask(method, ...params)]).toEqual([method, theirs]);
  }
  expect((await ask("eth_getTransactionReceipt", hash)).transactionHash).toBe(hash);
  expect(await ask("web3_clientVersion")).toBe("Periscope/0.0.0-test");
  expect(await ask("ots_getApiLevel")).toBe(8);
  const logs = await ask("eth_getLogs", { address: token, fromBlock: "0x0", toBlock: "latest" });
  expect(logs.length).toBe(oracle.logs.filter(({ address }) => address === token).length);
});

test("errors are objects, and a batch is of one state", async () => {
  const fault = (code: number, message: unknown = expect.any(String), id: unknown = 1) => ({
    jsonrpc: "2.0",
    error: { code, message },
    id,
  });
  const unknown = "the method debug_dump does not exist/is not available";
  expect(await ask("debug_dump")).toEqual(fault(-32_601, unknown));
  expect(await ask("ots_hasCode", "0x12", 1)).toEqual(
    fault(-32_602, "invalid argument 0: address is no address"),
  );
  expect(await ask("ots_hasCode", addressAt(1))).toEqual(
    fault(-32_602, "missing value for required argument 1"),
  );
  expect(await ask("ots_getBlockDetails", "seven")).toEqual(
    fault(-32_602, expect.stringContaining("invalid argument 0: ")),
  );
  expect(await ask("ots_searchTransactionsBefore", addressAt(1), 0, 1001)).toEqual(fault(-32_602));
  expect(await ask("ots_getApiLevel", 1)).toEqual(fault(-32_602));
  const call = { jsonrpc: "2.0", method: "eth_blockNumber", params: [] };
  const many = await post(Array.from({ length: 101 }, () => ({ ...call, id: 1 })));
  expect([many.statusCode, many.json()]).toEqual([
    200,
    fault(-32_600, "batch of more than 100", null),
  ]);
  expect((await post([])).json()).toEqual(fault(-32_600, expect.any(String), null));
  expect((await post({ jsonrpc: "2.0" })).json()).toEqual(fault(-32_600, expect.any(String), null));
  const silent = await post(call);
  expect([silent.statusCode, silent.body]).toEqual([204, ""]);
  const head = { ...call, method: "eth_getBlockByNumber", params: ["latest", false] };
  const batch = await post([{ ...call, id: "a" }, call, { ...head, id: null }]);
  const [first, second, ...others] = batch.json();
  expect([first.id, second.id, others]).toEqual(["a", null, []]);
  expect(first.result).toBe(second.result.number);
  expect(batch.headers["x-periscope-block"]).toBe(`${Number(first.result)};${second.result.hash}`);
  expect((await server.app.inject({ method: "GET", url: "/ots" })).statusCode).toBe(405);
});

test("the finalized block is the node's, and never above the served head", async () => {
  const numberOf = async (tag: string) =>
    Number((await ask("eth_getBlockByNumber", tag, false)).number);
  for (const tag of ["safe", "finalized"]) {
    const theirs = await rpc.request<{ number: Hex }>("eth_getBlockByNumber", tag, false);
    expect(await numberOf(tag)).toBe(Number(theirs.number));
  }
  await rpc.request("anvil_mine", "0x80");
  for (const tag of ["safe", "finalized"]) {
    const theirs = await rpc.request<{ number: Hex }>("eth_getBlockByNumber", tag, false);
    expect(Number(theirs.number)).toBeGreaterThan(oracle.head.number);
    expect(await numberOf(tag)).toBe(oracle.head.number);
  }
});
