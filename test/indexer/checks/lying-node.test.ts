import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { quantity } from "../../../src/core/evm/quantity.ts";
import { compareDatabase } from "../../support/compare/compare.ts";
import { startTestIndexer, type TestIndexer } from "../../support/indexer.ts";
import { firstCases } from "../../support/matrix.ts";
import { createOracleReader } from "../../support/oracle/oracle.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";
import { scriptedAddress } from "../../support/scripted-node/block.ts";
import {
  blockWith,
  emptyList,
  type Fault,
  html,
  lastMissing,
  lie,
  logsOutOfOrder,
  nothing,
  rateLimited,
  receiptsOfOtherBlock,
  rpcError,
} from "../../support/scripted-node/faults.ts";
import { TRANSFER, word } from "../../support/scripted-node/ledger.ts";
import type { BlockSpecification } from "../../support/scripted-node/specification.ts";
import { type ScriptedNode, startScriptedNode } from "../../support/scripted-node.ts";

const SLOW_MS = 400;
let otherGas = 0;
const OTHER_HASH = `0x${"ab".repeat(32)}` as const;

/** Two transactions with a log each, of one token, and one with an inner call; their content differs by `salt`. */
function busyBlock(salt: number): BlockSpecification {
  const [from, to, token] = [`from ${salt % 5}`, `to ${salt % 7}`, "token"].map(scriptedAddress);
  if (!from || !to || !token) throw new RangeError("no address");
  const topics = [
    TRANSFER,
    `0x${from.slice(2).padStart(64, "0")}`,
    `0x${to.slice(2).padStart(64, "0")}`,
  ];
  const transfer = {
    from,
    to: token,
    logs: [{ address: token, topics: topics as `0x${string}`[], data: word(salt + 1) }],
  };
  const value = { from, to, valueWei: BigInt(salt), calls: [{ from: to, to: from, valueWei: 1n }] };
  return { transactions: [transfer, transfer, value], salt: String(salt) };
}

/** A bad node's fault in one method of the block path, or in all. */
const FAULTS: Record<string, Omit<Fault, "times">> = {
  "says there are no receipts": { method: "eth_getBlockReceipts", effect: emptyList() },
  "gives logs out of order": { method: "eth_getBlockReceipts", effect: logsOutOfOrder() },
  "leaves the last trace out": { method: "debug_traceBlockByHash", effect: lastMissing() },
  "gives blocks without transactions": {
    method: "eth_getBlockByNumber",
    effect: blockWith({ transactions: [] }),
  },
  "leaves the last receipt out": { method: "eth_getBlockReceipts", effect: lastMissing() },
  "gives receipts of another block": {
    method: "eth_getBlockReceipts",
    effect: receiptsOfOtherBlock(OTHER_HASH),
  },
  "gives no receipts at all": { method: "eth_getBlockReceipts", effect: nothing() },
  "gives no traces": { method: "debug_traceBlockByHash", effect: nothing() },
  "gives null for blocks": { method: "eth_getBlockByNumber", effect: nothing() },
  "gives blocks of another parent": {
    method: "eth_getBlockByNumber",
    effect: blockWith({ parentHash: OTHER_HASH }),
  },
  "gives blocks that used other gas": {
    method: "eth_getBlockByNumber",
    // Each time other gas: a node's answer repeated three times is accepted.
    effect: lie((block) => block && { ...block, gasUsed: quantity(++otherGas) }),
  },
  "says an older head": { method: "eth_blockNumber", effect: lie(() => "0x1") },
  "answers with an error": { effect: rpcError(-32_000, "something went wrong") },
  "limits the rate": { effect: rateLimited(0) },
  "answers with HTML": { effect: html() },
  "cuts its answers short": { effect: { kind: "truncate" } },
  "drops connections": { effect: { kind: "drop" } },
  stalls: { effect: { kind: "stall" } },
  "leaves calls of a batch out": { effect: { kind: "omit" } },
  "answers calls of a batch twice": { effect: { kind: "double" } },
  "cannot read the state": { method: "eth_getBalance", effect: rpcError(-32_000, "no state") },
};

describe("an indexer on a node that", () => {
  let bad: ScriptedNode;
  let honest: ScriptedNode;
  let database: TestDatabase;
  let indexer: TestIndexer | undefined;

  beforeEach(async () => {
    honest = await startScriptedNode();
    bad = await startScriptedNode({ chain: honest.chain });
    database = await createTestDatabase();
  });

  afterEach(async () => {
    await indexer?.stop();
    indexer = undefined;
    await database.drop();
    await Promise.all([bad.stop(), honest.stop()]);
  });

  function start(rpcUrls: string[], finalityDepth: number): TestIndexer {
    return startTestIndexer({
      databaseUrl: database.url,
      rpcUrls,
      finalityDepth,
      requestTimeoutMs: SLOW_MS,
    });
  }

  function mine(count: number): void {
    const height = honest.chain.height;
    honest.chain.mine(...Array.from({ length: count }, (_, index) => busyBlock(height + index)));
  }

  /** Differences between what is published and the chain, but for state that is known to be unread. */
  async function wrongs(): Promise<string[]> {
    const [state] = await database.sql<{ head: number | null }[]>`
      SELECT head_number AS head FROM sync_state`;
    if (typeof state?.head !== "number") return [];
    const oracle = await createOracleReader(honest.url).read({ head: state.head });
    const unread =
      /still to be read|balance should be|total_supply|coin_supply|name|symbol|decimals|amount/;
    return compareDatabase(database.sql, oracle, (text) => unread.test(text));
  }

  it.each(firstCases(Object.entries(FAULTS), 4))(
    "%s writes nothing wrong and goes on when it recovers",
    async (_, fault) => {
      mine(30);
      bad.fail({ ...fault, times: 3 });
      indexer = start([bad.url], 5);
      await indexer.until(async () => {
        const [state] = await database.sql<{ head: number | null }[]>`
        SELECT head_number AS head FROM sync_state`;
        return typeof state?.head === "number";
      });
      mine(3);
      bad.fail(fault);
      mine(3);
      await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
      await indexer.stop();
      expect(await wrongs()).toEqual([]);
      bad.heal();
      indexer = start([bad.url], 5);
      const oracle = await createOracleReader(honest.url).read();
      await indexer.reach(oracle.head.hash);
      expect(await compareDatabase(database.sql, oracle)).toEqual([]);
    },
  );

  it("never has a block that it announced is told apart from one that lags", async () => {
    mine(3);
    indexer = start([bad.url], 5);
    await indexer.reach(honest.chain.head.block.hash);
    mine(1);
    const { number, hash } = honest.chain.head.block;
    bad.fail({
      method: "eth_getBlockByNumber",
      when: ({ params: [asked] }) => asked === number,
      effect: nothing(),
    });
    const { status } = indexer;
    await indexer.until(() => status().reason !== null);
    expect(status()).toMatchObject({ phase: "waiting", head: 3, nodeHead: 4 });
    expect(status().reason).toMatch(/block 4 was announced, but no node has it.*RPC_URL/);
    bad.heal();
    await indexer.reach(hash);
    await expect.poll(status).toMatchObject({ phase: "following", reason: null });
  });

  it("is replaced by another one while it lies", async () => {
    mine(30);
    bad.fail({ method: "eth_getBlockReceipts", effect: emptyList() });
    indexer = start([bad.url, honest.url], 5);
    mine(3);
    const oracle = await createOracleReader(honest.url).read();
    await indexer.reach(oracle.head.hash);
    expect(await compareDatabase(database.sql, oracle)).toEqual([]);
  });

  it("is on a fork does not make it leave the chain that another node still has", async () => {
    mine(10);
    const forked = await startScriptedNode({ chain: honest.chain.fork() });
    try {
      mine(3);
      indexer = start([honest.url, forked.url], 0);
      await indexer.reach(honest.chain.head.block.hash);
      forked.chain.mine(...Array.from({ length: 6 }, (_, index) => busyBlock(1_000 + index)));
      honest.fail({ effect: { kind: "http", status: 503 } });
      await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
      honest.heal();
      mine(2);
      const oracle = await createOracleReader(honest.url).read();
      await indexer.reach(oracle.head.hash);
      expect(await compareDatabase(database.sql, oracle)).toEqual([]);
    } finally {
      await forked.stop();
    }
  });

  it("flips between two branches is followed to the last one", async () => {
    mine(10);
    const branch = honest.chain.fork();
    indexer = start([bad.url], 1_000);
    await indexer.reach(honest.chain.head.block.hash);
    for (let round = 0; round < 5; round++) {
      honest.chain.reorg(3, busyBlock(100 + round), busyBlock(200 + round));
      await indexer.reach(honest.chain.head.block.hash);
      honest.chain.reorg(2, ...[7, 8, 9].map(busyBlock));
      await indexer.reach(honest.chain.head.block.hash);
    }
    expect(branch.height).toBe(10);
    const oracle = await createOracleReader(honest.url).read();
    expect(await compareDatabase(database.sql, oracle)).toEqual([]);
  });

  it.each([
    ["was reorganised", () => honest.chain.reorg(28)],
    ["was replaced from its first block on", () => honest.chain.reset({ salt: "another" })],
  ])("%s while nobody looked, and is longer now, is followed", async (_, change) => {
    mine(30);
    indexer = start([bad.url], 5);
    await indexer.reach(honest.chain.head.block.hash);
    await indexer.stop();
    change();
    honest.chain.mine(...Array.from({ length: 60 }, (_, index) => busyBlock(500 + index)));
    indexer = start([bad.url], 5);
    const oracle = await createOracleReader(honest.url).read();
    await indexer.reach(oracle.head.hash);
    expect(await compareDatabase(database.sql, oracle)).toEqual([]);
  });

  it("keeps no state of old blocks is indexed without traces, from its first block on", async () => {
    const pruned = await startScriptedNode({
      chain: honest.chain,
      statesKept: 5,
      without: ["trace_block"],
    });
    pruned.fail({
      method: "debug_traceBlockByHash",
      when: ({ params }) => Number(honest.chain.byHash(String(params[0]))?.block.number) < 25,
      effect: rpcError(-32_000, "historical state is not available"),
    });
    try {
      mine(30);
      indexer = start([pruned.url], 5);
      await indexer.until(() => indexer?.status().head === 30);
      expect(indexer.status().traces).toEqual({
        tracer: null,
        reason: "the node keeps no state of old blocks, without which it cannot trace them",
      });
      expect(await database.sql`SELECT traced FROM sync_state`).toEqual([{ traced: false }]);
    } finally {
      await pruned.stop();
    }
  });
});
