import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Hex } from "../../src/core/evm/hex.ts";
import { createSql, type Sql } from "../../src/db/client.ts";
import { migrate } from "../../src/db/migrate.ts";
import { listTransactionsOfAddress } from "../../src/store/lists/address-transactions.ts";
import {
  listInternalTransactionsOfAddress,
  listInternalTransactionsOfBlocks,
} from "../../src/store/lists/internal-transactions.ts";
import { searchLogs } from "../../src/store/lists/logs.ts";
import { listTokenTransfers } from "../../src/store/lists/token-transfers.ts";
import { getTransaction } from "../../src/store/lists/transactions.ts";
import { buildIndex, listIndexBuilds } from "../../src/store/writer/index-builds.ts";
import {
  releaseWriterLock,
  takeWriterLock,
  WriterReplacedError,
  type WriterTerm,
} from "../../src/store/writer/writer.ts";
import { compareDatabase } from "../support/compare/compare.ts";
import { startTestIndexer, type TestIndexer } from "../support/indexer.ts";
import { createOracleReader } from "../support/oracle/oracle.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { blockOfRelease, found, releaseChain } from "../support/release/chain.ts";
import { RELEASES, restoreRelease } from "../support/release/data.ts";
import { TRANSFER } from "../support/scripted-node/ledger.ts";
import { type ScriptedNode, startScriptedNode } from "../support/scripted-node.ts";

const MIGRATIONS = readdirSync(new URL("../../migrations/", import.meta.url)).length;
/** The releases whose data is kept, but for one that had all migrations of today. */
const NAMES = readdirSync(RELEASES).flatMap((file) => {
  const name = /^(\d.*)\.json\.gz$/.exec(file)?.[1];
  if (name === undefined) return [];
  const data = JSON.parse(gunzipSync(readFileSync(path.join(RELEASES, file))).toString());
  return data.migrations.length < MIGRATIONS ? [name] : [];
});
/** Random blocks, nearly all of which the release indexed. */
const AUDITS = 40;

describe.each(NAMES)("the database of release %s", (release) => {
  let node: ScriptedNode;
  /** A new one, and one that the release made. */
  let fresh: TestDatabase;
  let earlier: TestDatabase;
  let sql: Sql;
  let lockSql: Sql;

  beforeEach(async () => {
    node = await startScriptedNode({ chain: releaseChain() });
    fresh = await createTestDatabase();
    earlier = await createTestDatabase();
    sql = earlier.sql;
    lockSql = createSql(earlier.url, { connections: 1 });
    await sql`DROP SCHEMA public CASCADE`;
    await sql`CREATE SCHEMA public`;
    await restoreRelease(sql, release);
    // A recording that was interrupted wrote one of its tables.
    await sql`
      INSERT INTO address_token_transfers
      SELECT (jsonb_populate_record(one, '{"block_number": 1000000000}')).* FROM address_token_transfers AS one LIMIT 1`;
    await migrate(sql);
  });

  afterEach(async () => {
    await lockSql.end();
    await Promise.all([fresh?.drop(), earlier?.drop()]);
    await node?.stop();
  });

  async function beginTerm(): Promise<{ sql: Sql; term: WriterTerm }> {
    const term = await takeWriterLock(lockSql);
    if (!term) throw new Error("another writer has the lock");
    return { sql, term };
  }

  async function schemaOf(database: TestDatabase): Promise<string[]> {
    const rows = await database.sql<{ definition: string }[]>`
      SELECT indexdef AS definition FROM pg_indexes WHERE schemaname = 'public'
      UNION ALL
      SELECT pg_get_statisticsobjdef(oid) FROM pg_statistic_ext
      UNION ALL
      SELECT format('%s %s %s', attrelid::regclass, attname, format_type(atttypid, atttypmod)) FROM pg_attribute
        JOIN pg_class ON pg_class.oid = attrelid
        WHERE relkind IN ('r', 'v') AND relnamespace = 'public'::regnamespace AND attnum > 0 AND NOT attisdropped
      ORDER BY 1`;
    return rows.map(({ definition }) => definition);
  }

  function startIndexer(database: TestDatabase): TestIndexer {
    return startTestIndexer({
      databaseUrl: database.url,
      rpcUrls: [node.url],
      finalityDepth: 0,
      auditIntervalMs: 20,
    });
  }

  /** Lets an indexer follow the chain until nothing is left to be replaced. */
  async function follow(database: TestDatabase, head: Hex): Promise<void> {
    const indexer = startIndexer(database);
    try {
      await indexer.reach(head);
      await indexer.until(async () => (await listIndexBuilds(database.sql)).length === 0);
    } finally {
      await indexer.stop();
    }
  }

  /** Grows the chain, lets indexers follow, and wants what a new database has. */
  async function expectUpToDate(): Promise<void> {
    await releaseWriterLock(lockSql);
    node.chain.mine(blockOfRelease(61));
    await follow(earlier, (await createOracleReader(node.url).read()).head.hash);
    node.chain.mine(blockOfRelease(62));
    const oracle = await createOracleReader(node.url).read();
    await follow(fresh, oracle.head.hash);
    // A table that an index made needless is gone with the next start.
    const indexer = startIndexer(earlier);
    try {
      await indexer.reach(oracle.head.hash);
      await indexer.until(() => Number(indexer.status().audit.checked["blocks"]) >= AUDITS);
      expect(indexer.status().audit).toMatchObject({ differing: { blocks: 0 }, last: null });
      // Earlier blocks lack them: the transactions decide.
      await sql`
        UPDATE blocks SET gas_price_minimum = price.minimum, gas_price_maximum = price.maximum
        FROM (SELECT block_number, min(gas_price) AS minimum, max(gas_price) AS maximum FROM transactions GROUP BY 1) AS price
        WHERE number = block_number AND gas_price_minimum IS NULL`;
      expect(await compareDatabase(sql, oracle)).toEqual([]);
      // Its keys have no secret until the operator asks for one.
      const before = await answers();
      await sql`SELECT renew_index_keys()`;
      expect(await answers()).toEqual(before);
      expect(await schemaOf(earlier)).toEqual(await schemaOf(fresh));
    } finally {
      await indexer.stop();
    }
  }

  /** Its queries, by every index that was ever replaced. */
  async function answers(): Promise<unknown[][]> {
    const { coin, owner, vault } = found;
    const page = { limit: 50, skip: 3 };
    const hash = node.chain.at(7)?.block.transactions[0] as { hash: Hex };
    const all = { from: 0, to: "latest" } as const;
    return [
      await listTransactionsOfAddress(sql, { address: owner }, "desc", page),
      await listTokenTransfers(sql, { standard: 20, address: owner }, "desc", page),
      await listTokenTransfers(sql, { standard: 20, address: owner, token: coin }, "asc", page),
      await listTokenTransfers(sql, { standard: 20, token: coin }, "desc", page),
      ...(await Promise.all(
        [true, false].flatMap((includeZeroValue) => [
          listInternalTransactionsOfAddress(
            sql,
            { address: vault, includeZeroValue },
            "desc",
            page,
          ),
          listInternalTransactionsOfBlocks(sql, { blocks: {}, includeZeroValue }, "asc", page),
        ]),
      )),
      await searchLogs(sql, [{ address: coin, topics: [] }], all, page),
      await searchLogs(sql, [{ address: coin, topics: [TRANSFER] }], all, page),
      await searchLogs(sql, [{ topics: [TRANSFER] }], all, page),
      [await getTransaction(sql, hash.hash)],
    ];
  }

  it("is brought up to date while its head is served", async () => {
    const before = await answers();
    for (const answer of before) expect(answer.filter(Boolean).length).toBeGreaterThan(0);
    const states: unknown[] = [before];
    for (const build of await listIndexBuilds(sql)) {
      await buildIndex(await beginTerm(), build, new AbortController().signal);
      states.push(await answers());
    }
    expect(states.length).toBeGreaterThan(1);
    for (const state of states) expect(state).toEqual(before);
    await expectUpToDate();
  });

  it("is brought up to date after an index was left unfinished", async () => {
    // One more, where the migrations since the release ask for one alone.
    await sql`SELECT replace_index('delegations_block', 'delegations_block', 'delegations', '(block_number)')`;
    const [first, second] = await listIndexBuilds(sql);
    if (!first || !second) throw new Error("nothing to build");
    const writer = await beginTerm();
    const other = createSql(earlier.url, { connections: 1 });
    const aborted = new AbortController();
    // An index that cannot be swapped in while a reader uses the one before.
    await other.begin(async (transaction) => {
      await transaction`LOCK TABLE ${sql(first.tableName)} IN ACCESS SHARE MODE`;
      await expect(buildIndex(writer, first, aborted.signal)).rejects.toThrow(/lock timeout/);
      // One whose build waits for a writer, and is given up.
      await transaction`LOCK TABLE ${sql(second.tableName)} IN ROW EXCLUSIVE MODE`;
      const building = buildIndex(writer, second, aborted.signal);
      while (!(await isWaiting())) await new Promise((resolve) => setTimeout(resolve, 10));
      aborted.abort();
      await expect(building).rejects.toThrow(/canceling statement/);
    });
    await other.end();
    await expectUpToDate();
  });

  it("gets no index from a writer whose term is over", async () => {
    const [first] = await listIndexBuilds(sql);
    if (!first) throw new Error("nothing to build");
    const zombie = await beginTerm();
    const writer = await beginTerm();
    const { signal } = new AbortController();
    await expect(buildIndex(zombie, first, signal)).rejects.toThrow(WriterReplacedError);
    expect(await listIndexBuilds(sql)).toContainEqual(first);
    await buildIndex(writer, first, signal);
    expect(await listIndexBuilds(sql)).not.toContainEqual(first);
  });

  async function isWaiting(): Promise<boolean> {
    const [row] = await sql`
      SELECT 1 FROM pg_stat_activity WHERE query LIKE 'CREATE INDEX CONCURRENTLY%' AND wait_event_type = 'Lock'`;
    return row !== undefined;
  }
});
