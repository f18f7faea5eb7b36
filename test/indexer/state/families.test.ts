import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Address } from "../../../src/core/evm/address.ts";
import { stateFamilies } from "../../../src/indexer/state/families.ts";
import { type StateFamily, tablesOf } from "../../../src/indexer/state/family.ts";
import { getIndexHealth } from "../../../src/store/health.ts";
import { chainTables } from "../../../src/store/writer/chain-tables.ts";
import { startTestIndexer, type TestIndexer } from "../../support/indexer.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";
import { type ScriptedNode, startScriptedNode } from "../../support/scripted-node.ts";

/** Tables that a reset and a roll-back leave alone, and why they may. */
const NOT_OF_THE_CHAIN: Readonly<Record<string, string>> = {
  migrations: "is about the schema",
  sync_state: "is the binding to the chain and the head: a reset and a roll-back write it last",
  writer: "is about processes",
  indexer_status: "is about processes, and written anew every few seconds",
  deferred_indexes: "is about the schema: a reset does not bring the indexes back",
  index_builds: "is about the schema: a reset does not replace the indexes",
  recorded_rows: "is about rows that servers must have, and deleted with them",
  verified_contracts: "outlives a reorg: valid_verified_contracts shows what the chain has",
  source_texts: "is found by its own hash, and belongs to verified_contracts",
  verification_jobs: "is about requests, which end whatever the chain does",
  proxies: "was read at a block: valid_proxies shows it while the chain has that block",
  proxy_checks: "is about requests, which are told what was true when they were made",
};

/** Shows columns of the transactions on one server, and is a table on several. */
const SHOWN = chainTables.transactionHashes.name;

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database?.drop());

it("every table is of the chain, of one family of state, or of neither for a reason", async () => {
  const tables = await database.sql<{ name: string }[]>`
    SELECT table_name AS name FROM information_schema.tables
    WHERE table_schema = 'public' AND (table_type = 'BASE TABLE' OR table_name = ${SHOWN})
    ORDER BY table_name`;
  const owned = [
    ...Object.values(chainTables).map(({ name }) => name),
    ...tablesOf(stateFamilies),
    ...Object.keys(NOT_OF_THE_CHAIN),
  ];
  expect(owned.toSorted()).toEqual(tables.map(({ name }) => name));
});

it("the list of chain tables has all their columns, as they are", async () => {
  for (const { name, columns } of Object.values(chainTables)) {
    const found = await database.sql<{ column: string; nullable: boolean }[]>`
      SELECT attname AS column, NOT attnotnull AND ${name !== SHOWN} AS nullable FROM pg_attribute
      WHERE attrelid = ${name}::regclass AND attnum > 0 AND NOT attisdropped`;
    expect(found.map(({ column, nullable }) => `${column} ${nullable}`).toSorted(), name).toEqual(
      Object.entries(columns)
        .map(([column, type]) => `${column} ${type.endsWith("?")}`)
        .toSorted(),
    );
  }
});

it("a fault in reading state is no reason to roll back without it", async () => {
  let isBroken = false;
  const broken: StateFamily = {
    name: "broken",
    tables: [],
    apply: async () => {},
    revert: async () => undefined,
    reading: {
      listTouched: async () => ["key"],
      listPending: async () => [],
      selectPending: (sql) => sql`SELECT WHERE false`,
      fetch: async () => {
        if (isBroken) throw new TypeError("a fault");
        return { rows: [], unanswered: [] };
      },
      write: async () => {},
    },
  };
  const node = await startScriptedNode();
  node.chain.mine(3);
  const indexer = startTestIndexer({
    databaseUrl: database.url,
    rpcUrls: [node.url],
    families: [...stateFamilies, broken],
  });
  try {
    await indexer.reach(node.chain.head.block.hash);
    isBroken = true;
    node.chain.reorg(1, 2);
    await indexer.until(() => indexer.status().reason === "an unexpected failure; the log has it");
    expect(indexer.status()).toMatchObject({ head: 3, reorgs: { count: 0 } });
    isBroken = false;
    await indexer.reach(node.chain.head.block.hash);
  } finally {
    await indexer.stop();
    await node.stop();
  }
});

describe("a family that is only in the list", () => {
  const LAZY: Address = "0x00000000000000000000000000000000000000a1";
  const BUSY: Address = "0x00000000000000000000000000000000000000a2";
  let node: ScriptedNode;
  let indexer: TestIndexer;

  /** Producers of blocks: how many blocks they made, and what they have. */
  const producers: StateFamily<Address, { address: Address; balance: bigint }> = {
    name: "producers",
    tables: ["producers"],
    async apply(sql, { from, to }) {
      await sql`
        INSERT INTO producers AS known (address, blocks)
        SELECT miner, count(*) FROM blocks WHERE number BETWEEN ${from} AND ${to} GROUP BY miner
        ON CONFLICT (address) DO UPDATE SET blocks = known.blocks + excluded.blocks, block_number = NULL`;
    },
    async revert(sql, { from, to }) {
      await sql`
        UPDATE producers SET blocks = blocks - gone.count, block_number = NULL
        FROM (SELECT miner, count(*) FROM blocks WHERE number BETWEEN ${from} AND ${to} GROUP BY miner) gone
        WHERE miner = address`;
      return async () => {
        await sql`DELETE FROM producers WHERE NOT EXISTS (SELECT FROM blocks WHERE miner = address)`;
      };
    },
    reading: {
      async listTouched(sql, { from, to }) {
        const rows = await sql<{ miner: Address }[]>`
          SELECT DISTINCT miner FROM blocks WHERE number BETWEEN ${from} AND ${to}`;
        return rows.map(({ miner }) => miner);
      },
      async listPending(sql, _scope, limit) {
        const rows = await sql<{ address: Address }[]>`
          SELECT address FROM producers WHERE block_number IS NULL LIMIT ${limit}`;
        return rows.map(({ address }) => address);
      },
      selectPending: (sql) => sql`SELECT FROM producers WHERE block_number IS NULL`,
      async fetch(chain, addresses, block, ask) {
        const balances = await chain.fetchCoinBalances(addresses, block, ask);
        const rows = addresses.map((address, index) => ({
          address,
          balance: balances[index] as bigint,
        }));
        return { rows, unanswered: [] };
      },
      async write(sql, blockNumber, rows) {
        for (const { address, balance } of rows) {
          await sql`
            UPDATE producers SET balance = ${String(balance)}, block_number = ${blockNumber}
            WHERE address = ${address}`;
        }
      },
    },
  };

  beforeEach(async () => {
    await database.sql`
      CREATE TABLE producers (
        address bytea PRIMARY KEY, blocks bigint NOT NULL, balance numeric, block_number bigint)`;
    node = await startScriptedNode();
    node.chain.mine(
      { miner: LAZY, state: { balances: { [LAZY]: 7n } } },
      { miner: BUSY, state: { balances: { [BUSY]: 1n } } },
      { miner: BUSY, state: { balances: { [BUSY]: 2n } } },
    );
    indexer = startTestIndexer({
      databaseUrl: database.url,
      rpcUrls: [node.url],
      families: [...stateFamilies, producers],
    });
  });
  afterEach(async () => {
    await indexer?.stop();
    await node?.stop();
  });

  function rows() {
    return database.sql`
      SELECT address, blocks, balance FROM producers WHERE address IN (${LAZY}, ${BUSY}) ORDER BY address`;
  }

  async function counted(): Promise<number | undefined> {
    const { indexer: report } = await getIndexHealth(database.sql);
    return report?.pending?.["producers"];
  }

  it("is applied, read from the node, rolled back, emptied by a reset, and counted", async () => {
    await indexer.reach(node.chain.head.block.hash);
    expect(await rows()).toEqual([
      { address: LAZY, blocks: 1, balance: "7" },
      { address: BUSY, blocks: 2, balance: "2" },
    ]);
    await indexer.until(async () => (await counted()) === 0);

    node.chain.reorg(3, { miner: BUSY, state: { balances: { [BUSY]: 9n } } }, 3);
    await indexer.reach(node.chain.head.block.hash);
    expect(await rows()).toEqual([{ address: BUSY, blocks: 1, balance: "9" }]);

    node.chain.reset({ salt: "another" });
    node.chain.mine(1);
    await indexer.reach(node.chain.head.block.hash);
    expect(await rows()).toEqual([]);

    const heal = node.fail({
      method: "eth_getBalance",
      effect: { kind: "error", code: -32_000, message: "missing trie node" },
    });
    node.chain.mine({ miner: LAZY, state: { balances: { [LAZY]: 3n } } });
    await indexer.until(async () => ((await counted()) ?? 0) > 0);
    heal();
    await indexer.reach(node.chain.head.block.hash);
    await indexer.until(async () => (await counted()) === 0);
    expect(await rows()).toEqual([{ address: LAZY, blocks: 1, balance: "3" }]);
  });
});
