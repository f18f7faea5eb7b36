import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { createSql, type Sql } from "../../src/db/client.ts";
import { migrate } from "../../src/db/migrate.ts";
import { chainTables } from "../../src/store/chain-tables.ts";
import { distributeTables, isDistributed, spreadTables } from "../../src/store/distribution.ts";
import { writeChainIdentity } from "../../src/store/sync-state.ts";
import { createTestApp, type TestApp } from "../support/app.ts";
import { addressAt, publish, transactionHash } from "../support/build.ts";

const BLOCK = {
  genesisHash: `0x${"1".repeat(64)}`,
  chainId: 1,
  startBlock: 0,
  traced: true,
} as const;
const schemas: Sql[] = [];

/** A client of a new schema of the cluster's database. */
function schemaOf(name: string): Sql {
  const sql = createSql(inject("postgresUrl"), { schema: name, connections: 2 });
  schemas.push(sql);
  return sql;
}

let server: TestApp;
beforeAll(async () => {
  server = await createTestApp();
});
afterAll(async () => {
  await server?.close();
  await Promise.all(schemas.map((sql) => sql.end()));
});

async function spread(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    SELECT relname AS name FROM pg_dist_partition JOIN pg_class ON oid = logicalrelid
    WHERE relnamespace = current_schema()::regnamespace ORDER BY 1`;
  return rows.map(({ name }) => name);
}

test("the tables of a new schema are spread, also when it is prepared twice", async () => {
  const sql = schemaOf("spread_twice");
  for (let time = 0; time < 2; time++) {
    await migrate(sql, "spread_twice");
    await distributeTables(sql);
    expect(await isDistributed(sql)).toBe(true);
    expect(await spread(sql)).toEqual(
      spreadTables.map((name) => chainTables[name].name).toSorted(),
    );
  }
});

test("a chain that stands on one server already stays there", async () => {
  const sql = schemaOf("stays_there");
  await migrate(sql, "stays_there");
  await writeChainIdentity(sql, BLOCK);
  await distributeTables(sql);
  expect(await isDistributed(sql)).toBe(false);
  expect(await spread(sql)).toEqual([]);
});

test("no list of an address and no transaction is asked of all servers", async () => {
  const account = addressAt(1);
  await publish(server.sql, {
    blocks: [{ number: 0 }, { number: 1 }],
    transactions: [
      { blockNumber: 0, fromAddress: account },
      { blockNumber: 1, fromAddress: account },
    ],
    tokenTransfers: [{ blockNumber: 1, logIndex: 0, token: addressAt(7), fromAddress: account }],
    internalTransactions: [{ blockNumber: 1, position: 1, fromAddress: account }],
  });
  const requests = [
    `module=account&action=txlist&address=${account}`,
    `module=account&action=txlistinternal&address=${account}`,
    `module=account&action=tokentx&address=${account}`,
    `module=transaction&action=gettxinfo&txhash=${transactionHash(1)}`,
    `module=transaction&action=getstatus&txhash=${transactionHash(1)}`,
  ];
  for (const request of requests) {
    expect(await askedOfAll(request), request).toBe(0);
  }
  // That such statements are counted at all.
  expect(
    await askedOfAll(`module=logs&action=getLogs&fromBlock=0&toBlock=1&address=${addressAt(7)}`),
  ).toBeGreaterThan(0);
});

/** How many statements of an answer were sent to more than one shard. */
async function askedOfAll(request: string): Promise<number> {
  const before = await multiShardStatements();
  const { statusCode } = await server.app.inject(`/api?${request}`);
  expect(statusCode, request).toBe(200);
  return (await multiShardStatements()) - before;
}

/** Statements of this database that were sent to more than one shard. */
async function multiShardStatements(): Promise<number> {
  const [row] = await server.sql<[{ count: number }]>`
    SELECT coalesce(sum(query_execution_multi_shard), 0)::int8 AS count
    FROM citus_stat_counters() WHERE database_id = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  return row.count;
}
