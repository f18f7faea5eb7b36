import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../support/app.ts";
import { addressAt, blockHash, publish, transactionHash, wordAt } from "../../support/build.ts";
import { type ScriptedNode, startScriptedNode } from "../../support/scripted-node.ts";

const A = addressAt(0xa);
const B = addressAt(0xb);
const MANY = addressAt(0xc);
const [T1, T2, T3, T4] = [wordAt(1), wordAt(2), wordAt(3), wordAt(4)] as const;

let node: ScriptedNode;
let server: TestApp;
beforeAll(async () => {
  node = await startScriptedNode();
  node.chain.mine({}, {});
  server = await createTestApp({ nodeUrl: node.url });
  await publish(server.sql, {
    blocks: [1, 2, 3, 0x10, 0x11].map((number) => ({ number })),
    transactions: [1, 2, 3, 0x10, 0x11].map((blockNumber) => ({ blockNumber })),
    logs: [
      { blockNumber: 1, logIndex: 0, address: A, topic0: T1, topic1: T2 },
      { blockNumber: 2, logIndex: 0, address: B, topic0: T2, topic1: T1, data: "0x2a" },
      { blockNumber: 2, logIndex: 1, address: A },
      { blockNumber: 3, logIndex: 0, address: A, topic0: T1, topic1: T3, topic2: T4 },
      {
        blockNumber: 0x10,
        logIndex: 0,
        address: A,
        topic0: T2,
        topic1: T1,
        topic2: T1,
        topic3: T1,
      },
      { blockNumber: 0x11, logIndex: 0, address: A, topic0: T1 },
      ...Array.from({ length: 1002 }, (_, index) => ({
        blockNumber: 3,
        logIndex: index + 1,
        address: MANY,
      })),
    ],
    // Block 0x11 is still being written.
    syncState: { headNumber: 0x10 },
  });
});
afterAll(async () => {
  await server.close();
  await node.stop();
});

async function ask(filter: unknown) {
  const response = await server.app.inject({
    method: "POST",
    url: "/api/eth-rpc",
    payload: { jsonrpc: "2.0", method: "eth_getLogs", params: [filter], id: 1 },
  });
  expect(response.statusCode).toBe(200);
  return response.json();
}

/** `block/index` of each log found. */
async function found(filter: object): Promise<string[]> {
  const { result } = await ask({ fromBlock: "earliest", ...filter });
  return result.map(
    (log: { blockNumber: string; logIndex: string }) =>
      `${Number(log.blockNumber)}/${Number(log.logIndex)}`,
  );
}

test("a log has the fields of the specification", async () => {
  const { result } = await ask({ address: B, fromBlock: "0x2", toBlock: "0x2" });
  expect(result).toEqual([
    {
      address: B,
      blockHash: blockHash(2),
      blockNumber: "0x2",
      data: "0x2a",
      logIndex: "0x0",
      removed: false,
      topics: [T2, T1],
      transactionHash: transactionHash(2),
      transactionIndex: "0x0",
    },
  ]);
});

describe("address and topics", () => {
  const everyA = ["1/0", "2/1", "3/0", "16/0"];
  test.each<[string, object, string[]]>([
    ["an address", { address: A }, everyA],
    ["in any letter case", { address: `0x${A.slice(2).toUpperCase()}` }, everyA],
    ["several addresses", { address: [B, A, A] }, ["1/0", "2/0", "2/1", "3/0", "16/0"]],
    ["a topic", { topics: [T1] }, ["1/0", "3/0"]],
    ["a topic behind any", { topics: [null, T1] }, ["2/0", "16/0"]],
    ["a topic behind an empty choice", { topics: [[], T1] }, ["2/0", "16/0"]],
    ["a choice of topics", { topics: [[T1, T2]] }, ["1/0", "2/0", "3/0", "16/0"]],
    [
      "a choice at two places",
      {
        topics: [
          [T1, T2],
          [T1, T3],
        ],
      },
      ["2/0", "3/0", "16/0"],
    ],
    ["a far topic", { topics: [null, null, T4] }, ["3/0"]],
    ["four topics", { topics: [T2, T1, T1, T1] }, ["16/0"]],
    ["both", { address: A, topics: [T2] }, ["16/0"]],
    ["an address and any topics", { address: A, topics: [null, null] }, everyA],
    ["an address and no topics", { address: A, topics: [] }, everyA],
    ["nothing that is there", { address: addressAt(0xd) }, []],
  ])("%s", async (_what, filter, logs) => {
    expect(await found(filter)).toEqual(logs);
  });

  test.each<[string, unknown, string]>([
    ["neither", {}, "Must supply one of address and topics"],
    ["no object", "latest", "Must supply one of address and topics"],
    ["a list", [], "Must supply one of address and topics"],
    ["no topics", { topics: [] }, "Must supply one of address and topics"],
    ["any topics", { topics: [null, []] }, "Must supply one of address and topics"],
    ["no addresses", { address: [] }, "Must supply one of address and topics"],
    ["a bad address", { address: "0x12", topics: ["0x12"] }, "invalid address"],
    ["a bad address of several", { address: [A, 5] }, "invalid address"],
    ["topics that are no list", { topics: T1 }, "invalid topics"],
    ["a bad topic", { address: A, topics: ["0x12"] }, "invalid topics"],
    ["a bad topic of several", { address: A, topics: [[T1, null]] }, "invalid topics"],
    ["a bad topic and another one", { topics: [{}, T1] }, "invalid topics"],
    ["five topics", { address: A, topics: [T1, T1, T1, T1, T1] }, "invalid topics"],
    [
      "too many choices",
      { topics: Array(4).fill([T1, T2, T3, T4]) },
      "too many combinations of addresses and topics, maximum is 100",
    ],
    [
      "too many addresses",
      { address: Array.from({ length: 101 }, (_, index) => addressAt(index)) },
      "too many combinations of addresses and topics, maximum is 100",
    ],
    [
      "more combinations than memory holds",
      {
        address: Array.from({ length: 8_000 }, (_, index) => addressAt(index)),
        topics: [Array.from({ length: 8_000 }, (_, index) => wordAt(index))],
      },
      "too many combinations of addresses and topics, maximum is 100",
    ],
  ])("%s is refused", async (_what, filter, error) => {
    expect(await ask(filter)).toEqual({ jsonrpc: "2.0", error, id: 1 });
  });
});

test("fields are found in any letter case, as geth finds them, but an exact name wins", async () => {
  expect(await ask({ ADDRESS: B, fromblock: "0x2", toblock: "0x2" })).toEqual(
    await ask({ address: B, fromBlock: "0x2", toBlock: "0x2" }),
  );
  expect(await found({ Address: B, address: A, topics: [T1, T3] })).toEqual(["3/0"]);
});

describe("blocks", () => {
  test.each<[string, object, string[]]>([
    ["default to the head", { fromBlock: undefined }, ["16/0"]],
    ["pending is the head", { fromBlock: "pending", toBlock: "pending" }, ["16/0"]],
    ["numbers", { fromBlock: 1, toBlock: 2 }, ["1/0", "2/1"]],
    ["hex with a prefix", { fromBlock: "0x2", toBlock: "0x3" }, ["2/1", "3/0"]],
    ["hex without a prefix", { fromBlock: "10", toBlock: "10" }, ["16/0"]],
    ["up to the head only", { toBlock: "0x11" }, ["1/0", "2/1", "3/0", "16/0"]],
    ["above the head", { fromBlock: "0x11", toBlock: "fffffffff" }, []],
    ["the wrong way round", { fromBlock: "0x3", toBlock: "0x1" }, []],
    ["null as if absent", { fromBlock: null, toBlock: null }, ["16/0"]],
    ["a block's hash", { fromBlock: "0x3", toBlock: "x", blockHash: blockHash(2) }, ["2/1"]],
  ])("%s", async (_what, filter, logs) => {
    expect(await found({ address: A, ...filter })).toEqual(logs);
  });

  test.each<[object, string]>([
    [{ fromBlock: "newest" }, "invalid block number"],
    [{ fromBlock: "0xzz" }, "invalid block number"],
    [{ toBlock: "0x" }, "invalid block number"],
    [{ toBlock: "-1" }, "-1 is not a valid block number"],
    [{ toBlock: "ffffffffffffffffff" }, "ffffffffffffffffff is not a valid block number"],
    [{ fromBlock: -1 }, "-1 is not a valid block number"],
    [{ fromBlock: 1.5 }, "invalid block number"],
    [{ fromBlock: {} }, "invalid block number"],
    [{ blockHash: "0x12" }, "Invalid Block Hash"],
    [{ blockHash: wordAt(9) }, "Invalid Block Hash"],
    [{ blockHash: blockHash(0x11) }, "Invalid Block Hash"],
  ])("%j is refused: %s", async (filter, error) => {
    expect((await ask({ address: A, ...filter })).error).toBe(error);
  });

  test.each(["safe", "finalized"])("%s is the block that the node tells", async (tag) => {
    expect(await found({ address: A, toBlock: tag })).toEqual(["1/0", "2/1"]);
    expect(await found({ address: A, fromBlock: tag })).toEqual(["2/1", "3/0", "16/0"]);
    expect(await ask({ address: "0x12", toBlock: tag })).toMatchObject({
      error: "invalid address",
    });
  });

  test("a block that the node does not tell is refused, in the node's words where it has some", async () => {
    const error = { code: -32_000, message: "finalized block not found" };
    node.fail({ effect: { kind: "error", ...error } });
    expect(await ask({ address: A, toBlock: "finalized" })).toMatchObject({ error });
    node.heal();
    node.fail({ effect: { kind: "lie", replace: () => null } });
    expect(await ask({ address: A, toBlock: "safe" })).toMatchObject({
      error: "safe is not a valid block number",
    });
    node.heal();
  });
});

describe("paging", () => {
  const filter = { address: MANY, fromBlock: "0x1" };

  test("gives 1000 logs at most, and the rest behind the last of them", async () => {
    const { result } = await ask(filter);
    expect(result).toHaveLength(1000);
    const last = result.at(-1);
    expect(last).toMatchObject({ blockNumber: "0x3", logIndex: "0x3e8" });
    const rest = await found({
      ...filter,
      paging_options: { blockNumber: "3", logIndex: "3e8" },
    });
    expect(rest).toEqual(["3/1001", "3/1002"]);
    expect(
      await found({ ...filter, paging_options: { blockNumber: "0x3", logIndex: "0x3EA" } }),
    ).toEqual([]);
  });

  test("goes on in the next block behind the last log of one", async () => {
    expect(
      await found({
        address: A,
        fromBlock: "0x1",
        paging_options: { blockNumber: "2", logIndex: "ffffffffff" },
      }),
    ).toEqual(["3/0", "16/0"]);
  });

  test.each<[unknown, string]>([
    [{}, "invalid log index"],
    ["3", "invalid log index"],
    [{ blockNumber: "3", logIndex: 5 }, "invalid log index"],
    [{ blockNumber: "xyz", logIndex: "5" }, "invalid block number"],
    [{ logIndex: "5" }, "invalid block number"],
  ])("with %j is refused: %s", async (paging, error) => {
    expect((await ask({ ...filter, paging_options: paging })).error).toBe(error);
  });
});
