import { afterAll, beforeAll, expect, inject, test } from "vitest";
import type { Hex } from "../../src/core/evm/hex.ts";
import { createSql, type Sql } from "../../src/db/client.ts";
import { encodeRows } from "../../src/db/copy.ts";
import { postgres } from "../../src/db/driver/driver.ts";
import { migrate } from "../../src/db/migrate.ts";
import { record } from "../../src/indexer/publish.ts";
import {
  distributeTables,
  isDistributed,
  spreadTables,
} from "../../src/store/cluster/distribution.ts";
import { saveProxy } from "../../src/store/contracts/proxies.ts";
import { writeChainIdentity } from "../../src/store/sync-state.ts";
import { chainTables } from "../../src/store/writer/chain-tables.ts";
import { takeWriterLock, type WriterTerm } from "../../src/store/writer/writer.ts";
import { createMetrics } from "../../src/telemetry/metrics.ts";
import { createTestApp, TEST_CHAIN_ID, type TestApp } from "../support/app.ts";
import { addressAt, blockHash, publish, transactionHash, wordAt } from "../support/build.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";

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

/** Statements from the coordinator to the workers. */
const notices: string[] = [];
let database: TestDatabase;
/** A client of the database that reports them. */
let told: Sql;
let server: TestApp;
beforeAll(async () => {
  database = await createTestDatabase();
  const { options } = database.sql;
  const connection = { ...options.connection, "citus.log_remote_commands": "on" };
  const onnotice = ({ message }: { message: string }) => notices.push(message);
  told = postgres({ ...options, connection, onnotice } as never) as unknown as Sql;
  schemas.push(told);
  server = await createTestApp({ sql: told });
});
afterAll(async () => {
  await server?.close();
  await Promise.all(schemas.map((sql) => sql.end()));
  await database?.drop();
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

test("conditions that tell the coordinator which shards to ask are none to the workers", async () => {
  const { sql } = database;
  expect(await isDistributed(sql)).toBe(true);
  const workers = await sql<{ success: boolean; result: string }[]>`
    SELECT success, result
    FROM run_command_on_workers(format('SELECT %I.is_distributed()', current_schema()))`;
  expect(workers.map(({ success, result }) => [success, result])).toEqual(
    workers.map(() => [true, "f"]),
  );
  expect(workers).toHaveLength(3);
});

test("a chain that stands on one server already stays there", async () => {
  const sql = schemaOf("stays_there");
  await migrate(sql, "stays_there");
  await writeChainIdentity(sql, BLOCK);
  await distributeTables(sql);
  expect(await isDistributed(sql)).toBe(false);
  expect(await spread(sql)).toEqual([]);
});

test("no list asks more than its address's shard and those of its rows", async () => {
  const [account, receiver, token, proxy] = [1, 2, 7, 8].map(addressAt) as [Hex, Hex, Hex, Hex];
  const ROWS = [3, 4];
  const others = Array.from({ length: 20 }, (_, number) => number);
  const rowsOf = (blockNumber: number) => {
    const isOwn = ROWS.includes(blockNumber);
    const parties = { fromAddress: addressAt(5), toAddress: isOwn ? account : addressAt(6) };
    const sent = { fromAddress: isOwn ? account : addressAt(5), toAddress: proxy };
    return {
      transactions: [
        { blockNumber, ...sent },
        { blockNumber, transactionIndex: 1, ...parties, value: 1n },
      ],
      internalTransactions: [{ blockNumber, position: 1, ...parties, value: 1n }],
      tokenTransfers: [
        { blockNumber, logIndex: 0, token, fromAddress: isOwn ? account : addressAt(5) },
      ],
    };
  };
  const rows = others.map(rowsOf);
  await publish(database.sql, {
    blocks: others.map((number) => ({ number })),
    addresses: [{ address: account }],
    transactions: rows.flatMap(({ transactions }) => transactions),
    internalTransactions: rows.flatMap(({ internalTransactions }) => internalTransactions),
    tokenTransfers: rows.flatMap(({ tokenTransfers }) => tokenTransfers),
    logs: [{ blockNumber: 4, address: proxy }],
  });
  const found = { kind: "", implementations: [addressAt(9)], conflicts: [], beacon: null };
  const place = { blockNumber: 1, blockHash: blockHash(1) };
  await saveProxy(database.sql, { address: proxy, ...found, ...place });

  const own = await shardsOf([
    ...[account, receiver].flatMap((address) => [
      ["address_transactions", address],
      ["address_internal_transactions", address],
      ["address_token_transfers", address],
    ]),
    ...ROWS.flatMap((block) => [
      ["transactions", block],
      ["logs", block],
      ["internal_transactions", block],
      ["token_transfers", block],
    ]),
    ["transaction_hashes", transactionHash(4)],
  ]);
  const lists = ["txlist", "txlistinternal", "tokentx"].flatMap((action) =>
    [
      `address=${account}`,
      `from=${account}`,
      `to=${account}`,
      `from=${account}&to=${receiver}&fromto_opr=and`,
    ].map((parties) => `module=account&action=${action}&${parties}`),
  );
  const requests = [
    ...lists,
    `module=account&action=tokentx&address=${account}&contractaddress=${token}`,
    `module=account&action=tokentx&from=${account}&contractaddress=${token}`,
    `module=account&action=fundedby&address=${account}`,
    `module=transaction&action=gettxinfo&txhash=${transactionHash(4)}`,
    `module=transaction&action=getstatus&txhash=${transactionHash(4)}`,
  ];
  for (const request of requests) {
    const asked = await askedBy(request);
    expect(asked, request).not.toEqual([]);
    expect(
      asked.filter((shard) => !own.has(shard)),
      request,
    ).toEqual([]);
  }
  // Requires that all shards are reported.
  const logs = `module=logs&action=getLogs&fromBlock=0&toBlock=1&topic0=${wordAt(1)}`;
  expect((await askedBy(logs)).length).toBe(6);
});

test("a block is committed over one connection to each worker", async () => {
  const lock = createSql(database.url, { connections: 1 });
  schemas.push(lock);
  const writer = {
    sql: told,
    term: (await takeWriterLock(lock)) as WriterTerm,
    isDistributed: true,
    families: [],
    metrics: createMetrics("indexer"),
  };
  const rows = Array.from({ length: 50 }, (_, index) => ({
    address: addressAt(1_000 + index),
    blockNumber: 70,
    transactionIndex: index,
    sides: 1,
  }));
  const document = encodeRows(chainTables.addressTransactions, rows);
  const encoded = new Map([["addressTransactions", { rowCount: rows.length, document }]] as const);
  notices.length = 0;
  await record(writer, { from: 70, to: 70 }, encoded, 1);
  const sent = (word: string) => notices.filter((notice) => notice.startsWith(`issuing ${word}`));
  expect(sent("COPY")).toHaveLength(6);
  expect(sent("PREPARE TRANSACTION")).toHaveLength(3);
});

test("a page that ends within a block has the block's next rows, in either order", async () => {
  const [token, holder] = [addressAt(11), addressAt(12)] as [Hex, Hex];
  const places = [50, 51].flatMap((blockNumber) =>
    Array.from({ length: 9 }, (_, logIndex) => ({ blockNumber, logIndex })),
  );
  await publish(database.sql, {
    blocks: [{ number: 50 }, { number: 51 }],
    transactions: [{ blockNumber: 50 }, { blockNumber: 51 }],
    // The last ones first: no table has them in their order.
    logs: places.map((place) => ({ ...place, address: token })).toReversed(),
    tokenTransfers: places.map((place) => ({ ...place, token, toAddress: holder })).toReversed(),
    internalTransactions: places
      .map(({ blockNumber, logIndex }) => ({ blockNumber, position: logIndex + 1, value: 1n }))
      .toReversed(),
  });
  const lists = [
    `module=logs&action=getLogs&fromBlock=50&toBlock=51&address=${token}&newest_first=`,
    `module=account&action=tokentx&contractaddress=${token}&sort=`,
    `module=account&action=tokentx&contractaddress=${token}&address=${holder}&sort=`,
    "module=account&action=txlistinternal&startblock=50&endblock=51&sort=",
  ];
  for (const list of lists) {
    for (const order of list.includes("getLogs") ? ["false", "true"] : ["asc", "desc"]) {
      const page = async (query: string) => {
        const { json } = await server.app.inject(`/api?${list}${order}${query}`);
        return (json() as { result: unknown[] }).result;
      };
      const all = await page("");
      expect(all, list).toHaveLength(18);
      const pages = [await page("&page=1&offset=5"), await page("&page=2&offset=5")];
      expect(pages.flat(), `${list}${order}`).toEqual(all.slice(0, 10));
    }
  }
});

async function shardsOf(rows: (string | number)[][]): Promise<Set<string>> {
  const shards = await database.sql<{ shard: string }[]>`
    SELECT name || '_' || get_shard_id_for_distribution_column(name::regclass,
      CASE WHEN value LIKE '0x%' THEN '\\' || substr(value, 2) ELSE value END) AS shard
    FROM unnest(${rows.map(([name]) => name as string)}::text[], ${rows.map(([, value]) => String(value))}::text[])
      AS row (name, value)`;
  return new Set(shards.map(({ shard }) => shard));
}

/** Shards that an answer asked, each once. */
async function askedBy(request: string): Promise<string[]> {
  notices.length = 0;
  const { statusCode } = await server.app.inject(`/v2/api?chainid=${TEST_CHAIN_ID}&${request}`);
  expect(statusCode, request).toBe(200);
  return [...new Set(notices.flatMap((notice) => notice.match(/\b[a-z_]+_1\d{5}\b/g) ?? []))];
}
