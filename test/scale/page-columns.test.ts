import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from "vitest";
import { wordOfAddress } from "../../src/core/evm/address.ts";
import type { Hex } from "../../src/core/evm/hex.ts";
import { distributeTables } from "../../src/store/cluster/distribution.ts";
import { pageTables } from "../../src/store/cluster/page-columns.ts";
import { createTestApp, type TestApp } from "../support/app.ts";
import { startTestIndexer, type TestIndexer } from "../support/indexer.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { scriptedAddress } from "../support/scripted-node/block.ts";
import { TRANSFER, word } from "../support/scripted-node/ledger.ts";
import { type ScriptedNode, startScriptedNode } from "../support/scripted-node.ts";

const [alice = "0x", bob = "0x", coin = "0x"] = ["alice", "bob", "coin"].map(scriptedAddress);
const LISTS = [
  `module=account&action=txlist&address=${alice}`,
  `module=account&action=txlistinternal&address=${bob}`,
  `module=account&action=tokentx&address=${bob}`,
  `module=account&action=tokentx&address=${bob}&contractaddress=${coin}`,
  `module=logs&action=getLogs&fromBlock=0&toBlock=latest&address=${coin}`,
  `module=logs&action=getLogs&fromBlock=0&toBlock=latest&topic0=${TRANSFER}`,
];
const LONG: Hex = `0x${"ab".repeat(1_001)}`;
const SHORT: Hex = `0x${"cd".repeat(1_000)}`;

let node: ScriptedNode;
let database: TestDatabase;
let server: TestApp;
let indexer: TestIndexer | undefined;
beforeAll(async () => {
  node = await startScriptedNode();
  for (const [index, input] of [SHORT, LONG, "0x" as const, LONG, SHORT].entries()) {
    const topics = [TRANSFER, wordOfAddress(alice), wordOfAddress(bob)];
    const logs = [{ address: coin, topics, data: word(index) }];
    const calls = [{ from: coin, to: bob, valueWei: 2n, input }];
    node.chain.mine({ transactions: [{ from: alice, to: coin, input, logs, calls }] });
  }
  database = await createTestDatabase();
  server = await createTestApp({ sql: database.sql });
  await start().reach(node.chain.head.block.hash);
});
afterEach(async () => {
  await indexer?.stop();
  indexer = undefined;
});
afterAll(async () => {
  await server?.close();
  await database?.drop();
  await node?.stop();
});

function start({ databaseUrl = database.url, auditIntervalMs = 600_000 } = {}): TestIndexer {
  const rpcUrls = [node.url];
  indexer = startTestIndexer({ databaseUrl, rpcUrls, finalityDepth: 0, auditIntervalMs });
  return indexer;
}

async function answers({ app }: TestApp): Promise<unknown[]> {
  const all: unknown[] = [];
  for (const list of LISTS) {
    for (const query of ["", "&page=1&offset=2", "&page=2&offset=2"]) {
      for (const sort of ["asc", "desc"]) {
        const { json } = await app.inject(`/api?${list}${query}&sort=${sort}`);
        all.push((json() as { result: unknown }).result);
      }
    }
  }
  return all;
}

/** How many rows of a table carry what pages show. */
async function carrying(table: string): Promise<number> {
  const { sql } = database;
  const [row] = await sql<[{ count: number }]>`
    SELECT count(*) FROM ${sql(table)} WHERE transaction_hash IS NOT NULL`;
  return row.count;
}

/** Rows as an earlier version, or one server, has them; those of the blocks below a number. */
async function forget(below: number): Promise<void> {
  const { sql } = database;
  for (const { name, columns } of pageTables) {
    const nulls = Object.fromEntries(Object.keys(columns).map((column) => [column, null]));
    await sql`UPDATE ${sql(name)} SET ${sql(nulls)} WHERE block_number < ${below}`;
  }
}

test("rows carry inputs up to 1,000 bytes", async () => {
  expect(await carrying("address_transactions")).toBe(2 * 3);
  expect(await carrying("address_token_transfers")).toBe(2 * 3);
  expect(await carrying("address_internal_transactions")).toBe(2 * 3);
  expect(await carrying("logs")).toBe(5);
});

test("the audit finds a wrong column of a page, and holds nothing against rows without them", async () => {
  await forget(3);
  const { until, status } = start({ auditIntervalMs: 20 });
  await until(() => status().audit.checked.blocks >= 20);
  expect(status().audit.last).toBeNull();
  for (const [table, column] of [
    ["logs", "gas_price"],
    ["address_transactions", "nonce"],
    ["address_internal_transactions", "value"],
    ["address_token_transfers", "amount"],
  ] as const) {
    const { sql } = database;
    const add = (amount: number) =>
      sql`UPDATE ${sql(table)} SET ${sql(column)} = ${sql(column)} + ${amount} WHERE block_number = 5`;
    await add(1);
    await until(() => status().audit.last?.startsWith(`${table} of block 5: `) === true);
    await add(-1);
  }
  await database.sql`UPDATE transactions SET log_addresses = '{}' WHERE block_number = 5`;
  await until(() => status().audit.last?.startsWith("transactions of block 5: ") === true);
});

test("pages are the same however many of their rows carry what they show", async () => {
  const all = await answers(server);
  for (const below of [4, 5, 6]) {
    await forget(below);
    expect(await answers(server)).toEqual(all);
  }
  expect(await carrying("logs")).toBe(0);
});

test("a cluster that an earlier version set up, its logs spread by block, has the same pages", async () => {
  const earlier = await createTestDatabase();
  onTestFinished(() => earlier.drop());
  const { sql } = earlier;
  await sql`
    SELECT alter_distributed_table('logs', distribution_column := 'block_number', colocate_with := 'transactions')`;
  const views = await sql<{ name: string; definition: string }[]>`
    SELECT viewname AS name, definition FROM pg_views WHERE schemaname = 'public' AND viewname NOT LIKE 'citus%'
      AND viewname NOT LIKE 'pg_%'`;
  for (const { name } of views) await sql`DROP VIEW ${sql(name)}`;
  // Definitions of views name the columns of transactions.
  for (const { name, columns } of pageTables.filter(({ name }) => name !== "transactions")) {
    for (const column of Object.keys(columns)) {
      await sql`ALTER TABLE ${sql(name)} DROP COLUMN ${sql(column)}`;
    }
  }
  for (const { name, definition } of views)
    await sql.unsafe(`CREATE VIEW ${name} AS ${definition}`);
  await distributeTables(sql);
  await start({ databaseUrl: earlier.url }).reach(node.chain.head.block.hash);
  const other = await createTestApp({ sql });
  onTestFinished(() => other.close());
  expect(await answers(other)).toEqual(await answers(server));
  await indexer?.stop();
});
