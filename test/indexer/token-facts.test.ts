import { readFile } from "node:fs/promises";
import { stringToHex } from "viem";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { wordOfAddress, ZERO_ADDRESS } from "../../src/core/evm/address.ts";
import { type Hex, hexConcat } from "../../src/core/evm/hex.ts";
import { writeTokenMetadata, writeTokenSupplies } from "../../src/store/state/tokens/state.ts";
import { startTestIndexer, type TestIndexer, type TestIndexerOptions } from "../support/indexer.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { scriptedAddress } from "../support/scripted-node/block.ts";
import { type Effect, rpcError } from "../support/scripted-node/faults.ts";
import { TRANSFER, word } from "../support/scripted-node/ledger.ts";
import type { BlockSpecification } from "../support/scripted-node/specification.ts";
import { type ScriptedNode, startScriptedNode } from "../support/scripted-node.ts";

const token = scriptedAddress("token");
const NAME: Hex = "0x06fdde03";
const SYMBOL: Hex = "0x95d89b41";
const DECIMALS: Hex = "0x313ce567";
const KNOWN = { name: "Coin", symbol: "Coin", decimals: 18 };
const UNKNOWN = { name: null, symbol: null, decimals: null };

/** A block that mints one, with what the token says of itself from then on. */
function mint(name?: string): BlockSpecification {
  const topics = [TRANSFER, wordOfAddress(ZERO_ADDRESS), wordOfAddress(scriptedAddress("owner"))];
  const transactions = [{ to: token, logs: [{ address: token, topics, data: word(1) }] }];
  if (name === undefined) return { transactions };
  const text = hexConcat(word(32), word(name.length), stringToHex(name));
  const calls = [
    { to: token, data: NAME, returns: text },
    { to: token, data: SYMBOL, returns: text },
    { to: token, data: DECIMALS, returns: word(18) },
  ];
  return { transactions, state: { code: { [token]: "0x01" }, calls } };
}

describe("the facts of a token", () => {
  let node: ScriptedNode;
  let database: TestDatabase;
  let indexer: TestIndexer;

  beforeEach(async () => {
    node = await startScriptedNode();
    node.chain.mine(2);
    database = await createTestDatabase();
    await start();
  });

  afterEach(async () => {
    await indexer.stop();
    await database.drop();
    await node.stop();
  });

  async function start(options: Partial<TestIndexerOptions> = {}): Promise<void> {
    indexer = startTestIndexer({ databaseUrl: database.url, rpcUrls: [node.url], ...options });
    await indexer.reach(node.chain.head.block.hash);
  }

  async function facts(): Promise<object | undefined> {
    const [row] = await database.sql<object[]>`SELECT name, symbol, decimals FROM tokens`;
    return row;
  }

  const holds = (expected: object) =>
    indexer.until(async () => {
      const found = await facts();
      return JSON.stringify(found) === JSON.stringify(expected);
    });

  /** Lets every call of facts fail; gives the way to stop it. */
  function failFacts(effect: Effect): () => void {
    return node.fail({
      method: "eth_call",
      when: ({ params }) => [NAME, SYMBOL, DECIMALS].includes((params[0] as { data: Hex }).data),
      effect,
    });
  }

  it.each([
    ["a time-out", rpcError(-32_000, "execution aborted (timeout = 5s)")],
    ["a rate limit", rpcError(-32_007, "50/second request limit reached")],
  ])("are not stored as missing because of %s, and heal by themselves", async (_, effect) => {
    const stop = failFacts(effect);
    node.chain.mine(mint("Coin"));
    await indexer.until(() => indexer.status().head === 3);
    expect(await database.sql`SELECT metadata_block FROM tokens`).toEqual([
      { metadataBlock: null },
    ]);
    stop();
    await holds(KNOWN);
  });

  it("are asked again when they are due, and when the token is moved", async () => {
    await indexer.stop();
    // The sweep, which comes in silence, reads facts, too.
    await start({ headSilenceMs: 15_000 });
    const stop = failFacts(rpcError(3, "execution reverted"));
    node.chain.mine(mint("Coin"));
    await indexer.reach(node.chain.head.block.hash);
    expect(await facts()).toEqual(UNKNOWN);
    stop();
    node.chain.mine(mint());
    await indexer.reach(node.chain.head.block.hash);
    expect(await facts(), "asked less than a minute ago").toEqual(UNKNOWN);
    await database.sql`UPDATE tokens SET metadata_read_at = now() - interval '2 minutes'`;
    node.chain.mine(mint());
    await holds(KNOWN);
    await database.sql`
      UPDATE tokens SET name = NULL, symbol = NULL, decimals = NULL, metadata_due = now(), metadata_tries = 3`;
    await holds(KNOWN);
    expect(await database.sql`SELECT metadata_tries, metadata_due FROM tokens`).toEqual([
      { metadataTries: 0, metadataDue: null },
    ]);
  });

  it("are read again once a day while the token is in use", async () => {
    node.chain.mine(mint("Coin"));
    await indexer.reach(node.chain.head.block.hash);
    node.chain.mine(mint("Other"));
    await indexer.reach(node.chain.head.block.hash);
    expect(await facts()).toEqual(KNOWN);
    await database.sql`UPDATE tokens SET metadata_read_at = now() - interval '25 hours'`;
    node.chain.mine(mint());
    await holds({ name: "Other", symbol: "Other", decimals: 18 });
  });
});

describe("what a token leaves out", () => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await createTestDatabase();
  });

  afterEach(() => database.drop());

  const nothing = {
    address: token,
    name: null,
    symbol: null,
    decimals: null,
    standard: 20,
    isDescribed: false,
  };

  async function minutesUntilDue(): Promise<object[]> {
    return database.sql`
      SELECT round(extract(epoch FROM metadata_due - metadata_read_at) / 60)::int AS metadata,
        round(extract(epoch FROM supply_due - supply_read_at) / 60)::int AS supply FROM tokens`;
  }

  it("is asked for after growing pauses, and not for ever", async () => {
    const { sql } = database;
    await sql`INSERT INTO tokens (address, standard, first_block) VALUES (${token}, 20, 1)`;
    for (const minutes of [1, 4, 16, 64, 256, 1024, 4096, 16_384, null, null]) {
      await sql.begin(async (transaction) => {
        await writeTokenMetadata(transaction, 1, [nothing]);
        await writeTokenSupplies(transaction, 1, [{ address: token, totalSupply: null }]);
      });
      expect(await minutesUntilDue()).toEqual([{ metadata: minutes, supply: minutes }]);
    }
  });

  it.each([
    [20, 18, "name", true],
    [20, null, "name", true],
    [404, 18, null, true],
    [721, null, "name", false],
    [721, null, null, true],
    [1155, null, null, false],
  ] as const)(
    "of a token of standard %i with decimals %s and name %s that an earlier version read is due: %s",
    async (standard, decimals, name, isDue) => {
      const { sql } = database;
      const migration = await readFile("migrations/0025_token_readings.sql", "utf8");
      await sql`ALTER TABLE tokens DROP metadata_read_at, DROP metadata_tries, DROP metadata_due,
      DROP supply_read_at, DROP supply_tries, DROP supply_due`;
      await sql`
      INSERT INTO tokens (address, standard, first_block, name, symbol, decimals, metadata_block, supply_block)
      VALUES (${token}, ${standard}, 1, ${name}, ${decimals === 18 ? null : "S"}, ${decimals}, 1, 1)`;
      await sql.unsafe(migration);
      expect(
        await sql`SELECT metadata_due IS NOT NULL AS metadata, supply_due IS NOT NULL AS supply FROM tokens`,
      ).toEqual([{ metadata: isDue, supply: true }]);
    },
  );
});
