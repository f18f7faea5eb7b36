import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { prepareDatabase } from "../../src/composition/prepare-database.ts";
import type { Hex } from "../../src/core/evm/hex.ts";
import type { Sql } from "../../src/db/client.ts";
import { keyOf } from "../../src/store/index-keys.ts";
import { searchLogs } from "../../src/store/lists/logs.ts";
import { startAnvil } from "../support/anvil.ts";
import { createTestApp, type TestApp } from "../support/app.ts";
import { expectedAnswer } from "../support/brute-force/answers.ts";
import { ethGetLogs } from "../support/brute-force/eth-logs.ts";
import { randomLogFilter, randomRequest } from "../support/brute-force/random-requests.ts";
import { compareDatabase } from "../support/compare/compare.ts";
import { executedPlansOf, rowsRead } from "../support/explain.ts";
import { startTestIndexer } from "../support/indexer.ts";
import { createOracleReader, type Oracle } from "../support/oracle/oracle.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { callData } from "../support/world/contracts.ts";
import { run } from "../support/world/operations.ts";
import { createRandom } from "../support/world/random.ts";
import { createStage } from "../support/world/stage.ts";
import { deployWorld } from "../support/world/world.ts";

// A key of eight bytes is not a cryptographic hash: with a known secret, such as 0 in older
// databases, words of one key are found in a second, and any account may put them on a chain. After
// 24 digits each pair below leaves the hash in the same state, in texts of the given length, so
// that the rest does not matter. Every query for one of a pair must exclude the other.

const pair = (one: string, other: string, rest: string): [Hex, Hex] => [
  `0x${one}${rest}`,
  `0x${other}${rest}`,
];
const ADDRESS = "ab".repeat(8);
const WORD = "cd".repeat(20);
/** Addresses of one key, by themselves. */
const OWNERS = pair("9744b3fb6ae788900f50d606", "d9c1fb91cb7e00a160060aba", ADDRESS);
const TOKENS = pair("6c30f96b2fce02a44a64d33a", "74719e4ed8963080a6aa0aa2", ADDRESS);
/** Addresses of one key together with any other address behind them. */
const OWNERS_OF_TOKENS = pair("4cdeb87f06127407aa4001aa", "d0c42922819e006a78a20a80", ADDRESS);
const TOKENS_OF_OWNERS = pair("7556dbdd65f113004a0020a0", "d7a04bd6070aaa7ba8150b59", ADDRESS);
/** Addresses of one key together with any topic behind them. */
const EMITTERS = pair("066ab6081b6405aa14834a39", "e12b1d69f093ea87aaaa06a0", ADDRESS);
/** Topics of one key. */
const TOPICS = pair("65a17118c70800000ca009f8", "2fea9be0a0401fc25068300a", WORD);

const SEED = 1;
const BLOCKS = 25;
const REQUESTS = 600;
/** Queries by keys. */
const ASKED = [
  "account/txlistinternal",
  "account/fundedby",
  "account/tokentx",
  "account/tokenlist",
  "logs/getlogs",
  "token/gettokenholders",
  "token/topholders",
  "token/tokenholdercount",
];
const FILTERS = 150;
const ROWS = 100_000;
const PAGE = { limit: 50, skip: 0 };

let api: TestApp;
let oracle: Oracle;
const ends: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  const anvil = await startAnvil();
  ends.push(() => anvil.stop());
  await playPairs(anvil.url);
  api = await createTestApp({ nodeUrl: anvil.url });
  await api.sql`SELECT renew_index_keys(0)`;
  ends.push(() => api.close());
  const databaseUrl = new URL(inject("postgresUrl"));
  databaseUrl.pathname = api.sql.options.database;
  const indexer = startTestIndexer({ databaseUrl: databaseUrl.href, rpcUrls: [anvil.url] });
  ends.push(() => indexer.stop());
  oracle = await createOracleReader(anvil.url).read();
  await indexer.reach(oracle.head.hash);
});
afterAll(async () => {
  for (const end of ends.toReversed()) await end();
});

/** Blocks in which both of each pair do the same kinds of things. */
async function playPairs(url: string): Promise<void> {
  const { contracts } = await deployWorld(url);
  const { rpc, accounts, ...stage } = await createStage(url);
  const [from] = accounts as [Hex];
  const tokens = [...TOKENS, ...TOKENS_OF_OWNERS];
  const owners = [...OWNERS, ...OWNERS_OF_TOKENS];
  const random = createRandom(SEED);
  const copy = async (name: string, addresses: readonly Hex[]) => {
    const code = await rpc.request<Hex>("eth_getCode", contracts[name], "latest");
    for (const address of addresses) await rpc.request("anvil_setCode", address, code);
  };
  await copy("fungible", tokens);
  await copy("machine1", EMITTERS);
  for (const owner of owners) {
    await rpc.request("anvil_impersonateAccount", owner);
    const call = { kind: "call", target: owner, value: 10n ** 18n } as const;
    stage.send({ from, to: random.pick(EMITTERS), value: call.value, data: run([call]) });
    await stage.mine();
    for (const to of tokens) {
      stage.send({ from, to, data: callData("Fungible", "mint", owner, 1_000_000n) });
    }
  }
  await stage.mine();
  for (let block = 0; block < BLOCKS; block++) {
    for (const owner of owners) {
      const value = BigInt(1 + random.integer(1_000));
      const data = callData("Fungible", "transfer", random.pick(owners), value);
      stage.send({ from: owner, to: random.pick(tokens), data });
    }
    for (const to of EMITTERS) {
      const topics = Array.from({ length: random.integer(5) }, () => random.pick(TOPICS));
      const value = BigInt(1 + random.integer(1_000));
      const call = { kind: "call", target: random.pick(owners), value } as const;
      stage.send({ from, to, value, data: run([{ kind: "log", topics }, call]) });
    }
    await stage.mine();
  }
}

describe("words of one key", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  const keysOf = async (sql: Sql, words: readonly Hex[]) => {
    const rows = await sql<{ key: number }[]>`
      SELECT ${keyOf(sql, sql`word`)} AS key FROM unnest(${[...words]}::bytea[]) AS word`;
    return rows.map(({ key }) => String(key));
  };
  const text = (words: readonly Hex[]): Hex => `0x${words.map((word) => word.slice(2)).join("")}`;

  it.each([
    { name: "addresses", pairs: [OWNERS, TOKENS], behind: [] },
    { name: "addresses with another", pairs: [OWNERS_OF_TOKENS, TOKENS_OF_OWNERS], behind: OWNERS },
    { name: "addresses with a topic", pairs: [EMITTERS], behind: TOPICS },
    { name: "topics", pairs: [TOPICS], behind: [] },
  ])("are what these $name are", async ({ pairs, behind }) => {
    for (const [one, other] of pairs) {
      for (const end of behind.length === 0 ? [[]] : behind.map((word) => [word])) {
        const words = [text([one, ...end]), text([other, ...end])];
        expect(new Set(await keysOf(api.sql, words)).size).toBe(1);
        expect(new Set(await keysOf(database.sql, words)).size).toBe(2);
      }
    }
  });

  it("are in no index, statistic or function by a hash of which everybody knows the secret", async () => {
    const found = await database.sql`
      SELECT name FROM (
        SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition, relnamespace AS schema
        FROM pg_index JOIN pg_class ON oid = indexrelid
        UNION ALL SELECT stxname, pg_get_statisticsobjdef(oid), stxnamespace FROM pg_statistic_ext
        UNION ALL SELECT proname, prosrc, pronamespace FROM pg_proc WHERE proname NOT IN
          ('index_key', 'with_index_key', 'renew_index_keys')
      ) AS objects
      WHERE schema = 'public'::regnamespace AND definition ~ 'hashtext|USING hash'`;
    expect(found).toEqual([]);
  });

  it("have other keys in each database, and after each renewal", async () => {
    const { sql } = database;
    const keys = [];
    for (let renewal = 0; renewal < 3; renewal++) {
      keys.push(...(await keysOf(sql, TOPICS)));
      await sql`SELECT renew_index_keys()`;
    }
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("by a hash whose seed is the secret, as every seed of some millions makes of these two, have other keys", async () => {
    const { sql } = database;
    const words: Hex[] = [`0x555f55555550555555595a51${WORD}`, `0x55575555555154535350505f${WORD}`];
    const seed = "3950720471920750648";
    const [seeded] = await sql`
      SELECT count(DISTINCT hashtextextended(encode(word, 'hex'), ${seed}))::integer AS keys FROM unnest(${words}::bytea[]) AS word`;
    expect(seeded).toEqual({ keys: 1 });
    await sql`SELECT renew_index_keys(${seed})`;
    expect(new Set(await keysOf(sql, words)).size).toBe(2);
  });

  it("are told of at the start where they have no secret", async () => {
    const { sql, url } = database;
    const warn = vi.fn();
    const start = () =>
      prepareDatabase(
        { databaseUrl: url, schema: "public" },
        { log: { warn } as never, signal: new AbortController().signal },
      );
    await sql`SELECT renew_index_keys()`;
    await start();
    expect(warn).not.toHaveBeenCalled();
    await sql`SELECT renew_index_keys(0)`;
    await start();
    expect(warn).toHaveBeenCalledWith(expect.stringContaining("Keys without a secret"));
  });

  it("are read past without a secret alone", async () => {
    const { sql } = database;
    await sql`SELECT renew_index_keys(0)`;
    await sql`INSERT INTO blocks (number, hash, parent_hash, timestamp, miner, difficulty, size, gas_limit, gas_used,
        transaction_count, fees, reward)
      SELECT n, int4send(n), int4send(n - 1), n, '', 0, 0, 0, 0, 0, 0, 0 FROM generate_series(0, ${ROWS / 100}::integer) AS n`;
    await sql`
      INSERT INTO logs (block_number, log_index, transaction_index, address, topic0, topic1, data)
      SELECT n / 100, n % 100, 0, '\\x01', '\\x02', ${TOPICS[1]}, '' FROM generate_series(1, ${ROWS}::integer) AS n`;
    await sql`
      INSERT INTO sync_state (chain_id, genesis_hash, start_block, head_number, head_hash, head_timestamp, traced)
      SELECT 1, hash, 0, ${ROWS / 100}, hash, 0, true FROM blocks WHERE number = 0`;
    const rows = async () => {
      const search = () =>
        searchLogs(sql, [{ topics: [undefined, TOPICS[0]] }], { from: 0, to: "latest" }, PAGE);
      const plans = await executedPlansOf(sql, search);
      return Math.max(...plans.map((plan) => rowsRead(plan, "logs")));
    };
    expect(await rows()).toBe(ROWS);
    await sql`SELECT renew_index_keys()`;
    expect(await rows()).toBe(0);
  });
});

it("keeps holdings, supplies and holders of tokens and owners of one key apart", async () => {
  expect(await compareDatabase(api.sql, oracle)).toEqual([]);
});

it("answers random requests about one of two words of one key as the node's own data demand", async () => {
  const random = createRandom(SEED);
  for (let count = 0; count < REQUESTS; ) {
    const { dialect, parameters } = randomRequest({ oracle, random, silentTokens: [] });
    const { module, action } = parameters;
    if (!ASKED.includes(`${module}/${action}`.toLowerCase())) continue;
    count++;
    const url = `${dialect === "blockscout" ? "/api" : "/v2/api"}?${new URLSearchParams(parameters)}`;
    const response = await api.app.inject(url);
    const answer = { httpStatus: response.statusCode, body: response.json() };
    expect(answer, url).toEqual(expectedAnswer(oracle, { dialect, parameters }));
  }
});

it("finds the logs of random filters of such words", async () => {
  const random = createRandom(SEED);
  for (let count = 0; count < FILTERS; count++) {
    const filter = randomLogFilter({ oracle, random, silentTokens: [] });
    const payload = { jsonrpc: "2.0", id: count, method: "eth_getLogs", params: [filter] };
    const response = await api.app.inject({ method: "POST", url: "/api/eth-rpc", payload });
    const expected = { jsonrpc: "2.0", id: count, result: ethGetLogs(oracle, filter) };
    expect(response.json(), JSON.stringify(filter)).toEqual(expected);
  }
});
