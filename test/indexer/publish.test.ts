import { afterAll, beforeAll, expect, it } from "vitest";
import { createSql } from "../../src/db/client.ts";
import { encodeRows } from "../../src/db/copy.ts";
import { timeStatements } from "../../src/db/statements.ts";
import { publish, record, type Writer } from "../../src/indexer/publish.ts";
import { coins } from "../../src/indexer/state/coins.ts";
import { stateFamilies } from "../../src/indexer/state/families.ts";
import type { StateReading } from "../../src/indexer/state/family.ts";
import { holdings } from "../../src/indexer/state/holdings.ts";
import { tokens } from "../../src/indexer/state/tokens.ts";
import { isDistributed } from "../../src/store/cluster/distribution.ts";
import { chainTables } from "../../src/store/writer/chain-tables.ts";
import { takeWriterLock, type WriterTerm } from "../../src/store/writer/writer.ts";
import { createMetrics } from "../../src/telemetry/metrics.ts";
import { addressAt, blockHash, publish as fill } from "../support/build.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";

/** The writer's lock, and what the transaction does. */
const WAITS = 2;
const [OWNER, PROXY] = [addressAt(1), addressAt(9)];
const BLOCK = { number: 1, hash: blockHash(1) };

let database: TestDatabase;
let writer: Writer;
let sent = 0;
let waits = 0;
const lock = { sql: undefined as TestDatabase["sql"] | undefined };
beforeAll(async () => {
  database = await createTestDatabase();
  lock.sql = createSql(database.url, { connections: 1 });
  let open = 0;
  const sql = timeStatements(database.sql, () => {
    sent++;
    if (open++ === 0) waits++;
    return () => open--;
  });
  writer = {
    sql,
    term: (await takeWriterLock(lock.sql)) as WriterTerm,
    isDistributed: await isDistributed(sql),
    families: stateFamilies,
    metrics: createMetrics("indexer"),
  };
});
afterAll(async () => {
  await lock.sql?.end();
  await database?.drop();
});

/** How often work waits for the database. */
async function waitsOf(work: () => Promise<void>): Promise<number> {
  sent = waits = 0;
  await work();
  return waits;
}

it("a block is recorded with two waits for the database, whatever it has", async () => {
  const encoded = (["withdrawals", "uncles", "contractDestructions"] as const).map((name) => {
    const table = chainTables[name];
    return [name, { table, rowCount: 0, document: encodeRows(table as never, []) }] as const;
  });
  const work = () => record(writer, { from: 1, to: 1 }, new Map(encoded), 1);
  expect(await waitsOf(work)).toBe(WAITS);
  expect(sent).toBeGreaterThan(encoded.length);
});

it("a block is published with two waits for the database, whatever it changes", async () => {
  const [erc20, erc721, erc1155] = [20, 721, 1155].map((standard) => ({
    token: addressAt(standard),
    standard,
  }));
  const transfers = [erc20, erc721, erc1155].map((token, logIndex) => ({
    blockNumber: 1,
    logIndex,
    ...token,
    tokenId: token === erc20 ? null : "5",
    toAddress: OWNER,
  }));
  await fill(database.sql, {
    blocks: [{ number: 0 }, { number: 1 }],
    transactions: [{ blockNumber: 1, toAddress: OWNER }],
    tokenTransfers: transfers as never,
    contractDestructions: [{ address: addressAt(20), blockNumber: 1 }] as never,
    contracts: [{ address: PROXY, blockNumber: 1 }] as never,
  });
  const rows = [
    [coins, [{ address: OWNER, balanceWei: 7n, isContract: null }]],
    [
      tokens,
      [
        {
          address: addressAt(20),
          standard: 20,
          metadata: {
            name: "Name",
            symbol: null,
            decimals: 18,
            claimed: null,
            byOwner: true,
            byId: false,
          },
          totalSupply: 9n,
        },
      ],
    ],
    [
      holdings,
      transfers.map(({ token, tokenId }) => ({
        token,
        owner: OWNER,
        tokenId: token === addressAt(1155) ? tokenId : null,
        amount: 3n,
        addsUp: false,
      })),
    ],
  ] as const;
  const values = {
    block: BLOCK,
    rows: rows.map(([{ reading }, written]) => ({
      reading: reading as StateReading,
      rows: written,
    })),
    unresponsive: [addressAt(721)],
  };
  expect(await waitsOf(() => publish(writer, { from: 1, to: 1 }, values))).toBe(WAITS);
  expect(sent).toBeGreaterThan(15);
  const [token] = await database.sql`
    SELECT name, irregular, total_supply FROM tokens WHERE address = ${addressAt(20)}`;
  expect(token).toEqual({ name: "Name", irregular: true, totalSupply: "9" });
  const held = await database.sql`SELECT amount FROM token_balances WHERE owner = ${OWNER}`;
  expect(held.map(({ amount }) => amount)).toEqual(["3", "3", "3"]);
  const [coin] = await database.sql`SELECT balance FROM addresses WHERE address = ${OWNER}`;
  expect(coin).toEqual({ balance: "7" });
});
