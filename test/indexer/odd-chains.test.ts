import { getAddress } from "viem";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { withdrawal as presented } from "../../src/api/explorer/present/block.ts";
import type { RawReceipt } from "../../src/chain/types.ts";
import type { Hex } from "../../src/core/evm/hex.ts";
import { createSql } from "../../src/db/client.ts";
import { listWithdrawals } from "../../src/store/blocks/withdrawals.ts";
import { readSnapshot } from "../../src/store/snapshot.ts";
import { getServedHead, writeChainIdentity } from "../../src/store/sync-state.ts";
import { compareDatabase } from "../support/compare/compare.ts";
import { startTestIndexer, type TestIndexer, type TestIndexerOptions } from "../support/indexer.ts";
import { createOracleReader } from "../support/oracle/oracle.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { scriptedAddress } from "../support/scripted-node/block.ts";
import {
  blockWith,
  emptyList,
  type IncomingCall,
  lie,
  nothing,
  rpcError,
} from "../support/scripted-node/faults.ts";
import { type ScriptedNode, startScriptedNode } from "../support/scripted-node.ts";

describe("an indexer", () => {
  let node: ScriptedNode;
  let database: TestDatabase;
  let indexer: TestIndexer | undefined;

  beforeEach(async () => {
    node = await startScriptedNode();
    database = await createTestDatabase();
  });

  afterEach(async () => {
    await indexer?.stop();
    indexer = undefined;
    await database.drop();
    await node.stop();
  });

  function start(options: Partial<TestIndexerOptions> = {}): TestIndexer {
    indexer = startTestIndexer({ databaseUrl: database.url, rpcUrls: [node.url], ...options });
    return indexer;
  }

  const reachHead = (started: TestIndexer) => started.reach(node.chain.head.block.hash);

  it("takes NULs out of a tracer's words, and cuts off what no tracer says of itself", async () => {
    const from = node.chain.head.block.miner;
    const long = "\ud83d\ude00".repeat(500_000);
    const calls = [
      { from, error: `\0x${long}` },
      { from, type: `\0X${long}` },
    ];
    node.chain.mine({ transactions: [{ error: `reverted: \0no ${long}`, calls }] });
    await reachHead(start());
    const [transaction] = await database.sql`SELECT error FROM transactions`;
    const [failed, odd] = await database.sql`
      SELECT error, type FROM internal_transactions ORDER BY position`;
    const texts = [transaction?.["error"], failed?.["error"], odd?.["type"]];
    const begins = [/^reverted: no \p{Emoji}+/u, /^x\p{Emoji}+/u, /^x\p{Emoji}+/u];
    for (const [index, text] of texts.entries()) {
      expect(text).toMatch(begins[index] as RegExp);
      expect(text.length).toBeLessThan(1_001);
    }
  });

  it("takes checksums, and a receiver that is left out, for what they mean", async () => {
    const from = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
    const calls = [{ from, to: from, valueWei: 1n } as const];
    node.chain.mine({
      transactions: [
        { from, to: from, valueWei: 2n, calls },
        { from, to: null, output: "0x00" },
        { from, to: null, error: "out of gas" },
        { from, valueWei: 1n },
      ],
    });
    const second = await startScriptedNode({ chain: node.chain });
    const oracle = await createOracleReader(second.url).read();
    await second.stop();
    const checksummed = (result: unknown) =>
      JSON.parse(JSON.stringify(result).replaceAll(from, getAddress(from)));
    node.fail({
      method: "eth_getBlockByNumber",
      effect: lie((result) => {
        const block = checksummed(result);
        for (const one of block?.transactions ?? []) if (one.to === null) delete one.to;
        return block;
      }),
    });
    node.fail({ method: "debug_traceBlockByHash", effect: lie(checksummed) });
    node.fail({
      method: "eth_getBlockReceipts",
      effect: lie((receipts) =>
        (receipts as RawReceipt[]).map((one) => ({
          ...one,
          contractAddress:
            one.contractAddress && one.status === "0x1" ? getAddress(one.contractAddress) : "",
        })),
      ),
    });
    await reachHead(start());
    expect(await compareDatabase(database.sql, oracle)).toEqual([]);
  });

  it("takes a genesis block that the tracer refuses for one without internal transactions", async () => {
    const from = scriptedAddress("first");
    node.chain.reset({ transactions: [{ from, to: null }, { valueWei: 1n }] });
    const genesis = node.chain.at(0)?.block;
    const names = ["0x0", genesis?.hash, ...(genesis?.transactions ?? []).map(({ hash }) => hash)];
    node.fail({
      when: ({ method, params: [name] }) =>
        /trace/i.test(method) && names.includes(name as Hex | undefined),
      effect: rpcError(-32000, "genesis is not traceable"),
    });
    node.chain.mine({ transactions: [{ from, calls: [{ from, to: from, valueWei: 1n }] }] });
    await reachHead(start());
    const counts = await database.sql`
      SELECT (SELECT count(*) FROM transactions) AS sent, (SELECT count(*) FROM internal_transactions) AS inner,
        traced FROM sync_state`;
    expect(counts).toMatchObject([{ sent: 3, inner: 1, traced: true }]);
  });

  it("indexes and rolls back blocks of a time beyond all calendars", async () => {
    const started = start();
    node.chain.mine({ timestampSeconds: 270_000_000_000 });
    await reachHead(started);
    node.chain.reorg(1, { timestampSeconds: 270_000_000_001 }, 1);
    await reachHead(started);
    const days = await database.sql`
      SELECT day::text, block_count AS blocks FROM daily_statistics ORDER BY day`;
    expect(days).toMatchObject([{ blocks: 1 }, { day: "9999-12-31", blocks: 2 }]);
  });

  it("takes null for a field that is not there", async () => {
    const fields = { r: null, s: null };
    node.chain.mine({ transactions: [{ fields, receiptFields: { status: null } }] });
    const absent = { baseFeePerGas: null, excessBlobGas: null } as unknown as {
      miner: `0x${string}`;
    };
    node.fail({ method: "eth_getBlockByNumber", effect: blockWith(absent) });
    await reachHead(start());
    expect(await database.sql`SELECT status, r FROM transactions`).toMatchObject([
      { status: null, r: null },
    ]);
  });

  it("takes the largest number of 64 bits for a withdrawal's, as blocks of Berachain mint by", async () => {
    const address = scriptedAddress("distributor");
    const withdrawals = [1, 2].map((amountGwei) => ({ address, amountGwei }));
    node.chain.mine({ withdrawals }, { withdrawals });
    const most = "0xffffffffffffffff";
    node.fail({
      method: "eth_getBlockByNumber",
      effect: lie((result) => {
        const block = result as { withdrawals?: object[] } | null;
        const [mint, ...others] = block?.withdrawals ?? [];
        if (!mint) return block;
        return {
          ...block,
          withdrawals: [{ ...mint, index: most, validatorIndex: most }, ...others],
        };
      }),
    });
    await reachHead(start());
    const page = { limit: 10, skip: 0 };
    const listed = await listWithdrawals(database.sql, { address }, "asc", page);
    const largest = String(2n ** 64n - 1n);
    expect(listed.map(presented.present)).toMatchObject(
      [1, 2].flatMap(() => [
        { withdrawalIndex: largest, validatorIndex: largest, amount: "1" },
        { withdrawalIndex: "1", validatorIndex: "1", amount: "2" },
      ]),
    );
  });

  it.each([
    ["a bloom that is null", "eth_getBlockReceipts", { logsBloom: null }, []],
    ["input that is no bytes", "eth_getBlockByNumber", { input: "0x1" }, ["transactions"]],
    ["no value", "eth_getBlockByNumber", { value: undefined }, ["transactions"]],
    ["a value that is no number", "eth_getBlockByNumber", { value: "" }, ["transactions"]],
    [
      "a value above 2^256-1",
      "eth_getBlockByNumber",
      { value: `0x1${"0".repeat(64)}` },
      ["transactions"],
    ],
    ["uncles that are no list", "eth_getBlockByNumber", { uncles: "0x" }, []],
    ["a gas limit beyond all numbers", "eth_getBlockByNumber", { gasLimit: 1e300 }, []],
    [
      "an index that is no quantity",
      "eth_getBlockByNumber",
      { validatorIndex: "10" },
      ["withdrawals"],
    ],
    ["all withdrawals one index", "eth_getBlockByNumber", { index: "0x0" }, ["withdrawals"]],
    ["no receiver of a withdrawal", "eth_getBlockByNumber", { address: null }, ["withdrawals"]],
    [
      "a validator beyond all numbers",
      "eth_getBlockByNumber",
      { validatorIndex: "0x10000000000000000" },
      ["withdrawals"],
    ],
  ])("asks another node when the first gives %s", async (_, method, wrong, path) => {
    const second = await startScriptedNode({ chain: node.chain });
    try {
      const address = scriptedAddress("validator");
      const withdrawals = [1, 2].map((amountGwei) => ({ address, amountGwei }));
      node.chain.mine({ transactions: [{ valueWei: 5n }], withdrawals });
      const spoil = (items: object[]) => items.map((item) => ({ ...item, ...wrong }));
      node.fail({
        method,
        effect: lie((result) => {
          const [list] = path;
          if (Array.isArray(result)) return spoil(result);
          if (list === undefined) return result && { ...result, ...wrong };
          const block = result as Record<string, object[]>;
          return { ...block, [list]: spoil(block[list] ?? []) };
        }),
      });
      await reachHead(start({ rpcUrls: [node.url, second.url] }));
      const oracle = await createOracleReader(second.url).read();
      expect(await compareDatabase(database.sql, oracle)).toEqual([]);
      await indexer?.stop();
      indexer = undefined;
    } finally {
      await second.stop();
    }
  });

  it("backfills blocks that are too heavy to be held together", async () => {
    const heavy = { transactions: [{ gasUsed: 250_000_000 }] };
    for (let count = 0; count < 4; count++) node.chain.mine(5, heavy, heavy, heavy);
    await reachHead(start({ finalityDepth: 0 }));
    const oracle = await createOracleReader(node.url).read();
    expect(await compareDatabase(database.sql, oracle)).toEqual([]);
  });

  it("makes up for no reports that it could not write", async () => {
    const { sql } = database;
    await reachHead(start());
    await sql.begin(async (transaction) => {
      await transaction`CREATE TABLE reports (at double precision)`;
      await transaction`
        CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql
        AS 'BEGIN INSERT INTO reports VALUES (extract(epoch FROM clock_timestamp())); RETURN NULL; END'`;
      await transaction`CREATE TRIGGER note AFTER UPDATE ON indexer_status EXECUTE FUNCTION note()`;
      await transaction`LOCK TABLE indexer_status`;
      await new Promise((resolve) => setTimeout(resolve, 4_000));
    });
    const reports = () => sql<{ at: number }[]>`SELECT at FROM reports ORDER BY at`;
    await indexer?.until(async () => (await reports()).length >= 3);
    const [first, , third] = await reports();
    expect(Number(third?.at) - Number(first?.at)).toBeGreaterThan(0.5);
  });

  it("listens to the node's heads once, however often it begins again", async () => {
    node.chain.mine({ transactions: [{}] });
    node.fail({ method: "eth_getBlockReceipts", effect: emptyList() });
    node.fail({ method: "eth_getTransactionReceipt", effect: nothing() });
    const started = start({ webSocketUrl: node.webSocketUrl });
    await started.until(() => node.count("eth_getBlockReceipts") >= 8);
    node.heal();
    await reachHead(started);
    node.chain.mine({ transactions: [{}] });
    await reachHead(started);
    await expect.poll(() => node.webSocket.subscriptions).toBe(1);
  });

  describe.each([0, 1_000])("at finality depth %i", (finalityDepth) => {
    it.each([
      ["nothing", nothing(), /^no node has block 5, .*name another node/],
      [
        "that the chain leaves it out",
        rpcError(12, "requested epoch was a null round (5)"),
        /^block 6 does not/,
      ],
    ])(
      "waits at a number of which the node has %s, if the next block is of it",
      async (_, effect, reason) => {
        node.chain.mine(30);
        const when = ({ params: [number] }: IncomingCall) => number === "0x5";
        for (const method of ["eth_getBlockByNumber", "eth_getBlockReceipts"]) {
          node.fail({ method, when, effect });
        }
        const started = start({ finalityDepth });
        await started.until(() => started.status().phase === "waiting");
        expect(started.status()).toMatchObject({ reason: expect.stringMatching(reason) });
        expect(started.status().head).toBeLessThan(5);
      },
    );
  });

  it("says that internal transactions were there and are not", async () => {
    await reachHead(start());
    await indexer?.stop();
    const started = start({ traces: "off" });
    await started.until(() => started.status().phase === "waiting");
    expect(started.status()).toMatchObject({
      phase: "waiting",
      reason: expect.stringContaining("switched off"),
    });
  });

  it.each([0, 1_000])(
    "binds a database without blocks to the chain as it is by then, at finality depth %i",
    async (finalityDepth) => {
      node.chain.mine(30);
      await writeChainIdentity(database.sql, {
        chainId: node.chain.chainId,
        startBlock: 0,
        genesisHash: `0x${"ab".repeat(32)}`,
        traced: true,
      });
      await reachHead(start({ finalityDepth }));
      expect(await database.sql`SELECT genesis_hash FROM sync_state`).toMatchObject([
        { genesisHash: node.chain.at(0)?.block.hash },
      ]);
    },
  );

  it("waits for its first block where the chain became shorter than that before it was indexed", async () => {
    node.chain.mine(6);
    let isBound = false;
    node.fail({
      effect: nothing(),
      when: ({ params: [name] }) => {
        if (isBound && name === "latest" && node.chain.height === 6) node.chain.revert(4);
        isBound ||= name === "0x4";
        return false;
      },
    });
    const started = start({ startBlock: 4 });
    await started.until(() => started.status().nodeHead === 2);
    await started.until(() => started.status().phase === "waiting");
    expect(started.status().reason).toBe("the node has no block 4 yet");
    node.chain.mine(5);
    await reachHead(started);
  });

  it("leaves an answer that is being made the chain it was begun on when the chain is reset", async () => {
    node.chain.mine({ transactions: [{}] }, 3);
    const started = start();
    await reachHead(started);
    const sql = createSql(database.url, { connections: 1 });
    try {
      const seen = await readSnapshot(sql, async (snapshot) => {
        const head = await getServedHead(snapshot);
        node.chain.reset({ salt: "another" });
        await reachHead(started);
        const [counted] = await snapshot`SELECT count(*) FROM blocks`;
        return { head: head?.number, blocks: counted?.["count"] };
      });
      expect(seen).toEqual({ head: 4, blocks: 5 });
    } finally {
      await sql.end();
    }
  });
});
