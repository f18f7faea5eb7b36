import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Hex } from "../../src/core/evm/hex.ts";
import { createSql, type Sql } from "../../src/db/client.ts";
import { stateFamilies } from "../../src/indexer/state/families.ts";
import { listTouchedKeys } from "../../src/indexer/state/reading.ts";
import { listMinedBlocks } from "../../src/store/blocks/blocks.ts";
import { listUnclesOfBlock, listUnclesOfMiner } from "../../src/store/blocks/uncles.ts";
import { listWithdrawals } from "../../src/store/blocks/withdrawals.ts";
import { noteDistributed } from "../../src/store/cluster/distributed-reads.ts";
import { listContractCreations } from "../../src/store/contracts/creations.ts";
import { listContracts, listEmptyContracts } from "../../src/store/contracts/list.ts";
import { listTransactionsOfAddress } from "../../src/store/lists/address-transactions.ts";
import {
  listInternalTransactionsOfAddress,
  listInternalTransactionsOfBlocks,
  listInternalTransactionsOfTransaction,
} from "../../src/store/lists/internal-transactions.ts";
import { type LogPattern, searchLogs } from "../../src/store/lists/logs.ts";
import { listContractsByName } from "../../src/store/lists/names.ts";
import type { Order } from "../../src/store/lists/page.ts";
import { listTokenTransfers } from "../../src/store/lists/token-transfers.ts";
import { getTransaction, listLogsOfTransaction } from "../../src/store/lists/transactions.ts";
import {
  listCoinAccounts,
  listCoinAccountsByAge,
} from "../../src/store/state/addresses/coin-balances.ts";
import { getFunding } from "../../src/store/state/addresses/funding.ts";
import { listNftsOfOwner } from "../../src/store/state/nft-owners.ts";
import {
  getHolderPage,
  getHolding,
  listOwnedTokens,
  listUnsureHoldings,
} from "../../src/store/state/token-balances/holdings.ts";
import {
  executedPlansOf,
  genericPlansOf,
  largestSort,
  rowsRead,
  slowNodes,
} from "../support/explain.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";

// 1,500 blocks of 20 transactions. Address 1 sends one transaction of each block, and token 5 with it; contract 77 emits every log of the
// last tenth and none before; topic 0 has few values, topics 1 and 2 many.

const BLOCKS = 1_500;
const PAGE = 50;
/** Rows of a block. */
const BLOCK = 20;
/** A row of a page is looked at in at most so many tables. */
const TABLES = 7;

let database: TestDatabase;
let sql: Sql;
beforeAll(async () => {
  database = await createTestDatabase();
  sql = database.sql;
  await sql.unsafe(WORLD);
  await sql`VACUUM ANALYZE`;
});
afterAll(() => database.drop());

const WORLD = `
  CREATE FUNCTION addr(n bigint) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
    SELECT '\\x00'::bytea || int8send(n) || '\\xaaaaaaaaaaaaaaaaaaaaaa'::bytea $$;
  CREATE FUNCTION word(n bigint) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
    SELECT '\\x000000000000000000000000'::bytea || addr(n) $$;
  SELECT setseed(0.5);
  INSERT INTO sync_state (chain_id, start_block, genesis_hash, head_number, head_hash, head_timestamp, traced)
    VALUES (1, 0, '\\x00', ${BLOCKS - 1}, '\\x00', ${BLOCKS * 12}, true);
  INSERT INTO blocks SELECT n, word(n), word(n - 1), n * 12, addr(n % 2), 0, 1, 1, 1, 1, 20, 1, 1
    FROM generate_series(0, ${BLOCKS - 1}) n;
  INSERT INTO transactions
    SELECT b, i, word(b * 100 + i), 2, CASE WHEN i = 0 THEN addr(1) ELSE addr((random() * 999)::int) END,
      addr((random() * 999)::int), NULL, b, 1, 1, 1, NULL, NULL, 1, 1, 1, '\\x', NULL, NULL, 1, '\\x', '\\x', NULL
    FROM generate_series(0, ${BLOCKS - 1}) b, generate_series(0, 19) i;
  INSERT INTO address_transactions
    SELECT address, block_number, transaction_index, sum(side) FROM (
      SELECT from_address AS address, block_number, transaction_index, 1 AS side FROM transactions
      UNION ALL SELECT to_address, block_number, transaction_index, 2 FROM transactions) s
    GROUP BY 1, 2, 3;
  INSERT INTO logs
    SELECT block_number, transaction_index, transaction_index,
      CASE WHEN block_number > ${BLOCKS * 0.9} THEN addr(77) WHEN transaction_index = 0 THEN addr(5)
        ELSE addr((random() * 9)::int) END,
      word((random() * 2)::int), CASE WHEN transaction_index = 0 THEN word(1) ELSE word((random() * 999)::int) END,
      word((random() * 999)::int), NULL, '\\x'
    FROM transactions;
  INSERT INTO token_transfers
    SELECT block_number, log_index, 0, transaction_index, address, 20, substr(topic1, 13), substr(topic2, 13), NULL, 1
    FROM logs;
  INSERT INTO address_token_transfers
    SELECT address, 20, block_number, log_index, 0, token, sum(side) FROM (
      SELECT from_address AS address, block_number, log_index, token, 1 AS side FROM token_transfers
      UNION ALL SELECT to_address, block_number, log_index, token, 2 FROM token_transfers) s
    GROUP BY 1, 2, 3, 4, 5, 6;
  INSERT INTO internal_transactions
    SELECT block_number, transaction_index, 1, '{0}', 'call', 'call', from_address, to_address, NULL,
      CASE WHEN transaction_index IN (0, 7) THEN 5 ELSE 0 END, 1, 1, '\\x', NULL, true
    FROM transactions;
  INSERT INTO address_internal_transactions (address, block_number, transaction_index, position, sides, valued)
    SELECT address, block_number, transaction_index, 1, sum(side), bool_or(value > 0) FROM (
      SELECT from_address AS address, block_number, transaction_index, value, 1 AS side FROM internal_transactions
      UNION ALL SELECT to_address, block_number, transaction_index, value, 2 FROM internal_transactions) s
    GROUP BY 1, 2, 3;
  INSERT INTO withdrawals SELECT n % ${BLOCKS}, n, 1, addr(n % 3), 1 FROM generate_series(0, 14999) n;
  INSERT INTO uncles SELECT n, 0, word(n), n - 1, n * 12, addr(n % 3) FROM generate_series(1, ${BLOCKS - 1}) n;
  INSERT INTO contracts SELECT addr(10000 + n), n % ${BLOCKS}, n % 20, n, addr(1), '\\x01'
    FROM generate_series(0, 14999) n;
  INSERT INTO contract_destructions SELECT addr(10000 + n), ${BLOCKS - 1}, 19, 1 FROM generate_series(0, 90, 30) n;
  INSERT INTO implementation_changes SELECT addr(10000 + n), n % ${BLOCKS}, n FROM generate_series(0, 14999) n;
  INSERT INTO consecutive_transfers SELECT addr(10000 + n), n % ${BLOCKS}, n, n, addr(1), addr(2), 0, 9
    FROM generate_series(0, 14999) n;
  INSERT INTO addresses SELECT addr(n), n % ${BLOCKS}, n, 1, n < 10000 AND n % 5 = 0 FROM generate_series(0, 19999) n;
  INSERT INTO tokens (address, standard, first_block, metadata_block, supply_block, name, symbol)
    SELECT addr(n), CASE n % 3 WHEN 0 THEN 20 WHEN 1 THEN 721 ELSE 1155 END, 0, 1, 1, 'Coin ' || n, 'COIN' || n FROM generate_series(0, 2999) n;
  INSERT INTO token_balances SELECT addr(n % 3), addr(n), n + 1, 1 FROM generate_series(0, 14999) n;
  INSERT INTO token_balances SELECT addr(n), addr(1), n + 1, 1 FROM generate_series(3, 2999) n;
  INSERT INTO token_id_balances SELECT addr(2), addr(n / 10), n % 10, 1, 1 FROM generate_series(0, 14999) n;
  INSERT INTO verified_contracts (address, verified_at, code_hash, block_number, block_hash, language, format,
      compiler_version, file_path, contract_name, sources, settings, libraries, abi, metadata, metadata_uri, outputs,
      methods, compilation)
    SELECT addr(20000 + n), now(), '\\x01', 1, word(1), '', '', '', '', 'Purse' || n, '', '', '', '', '', '', '', '{}', ''
    FROM generate_series(0, 2999) n;
  INSERT INTO proxies SELECT addr(20000 + n), '', '[]', '[]', NULL, 1, word(1) FROM generate_series(0, 2999) n;
  INSERT INTO nft_owners SELECT addr(1), n, addr(n % 3) FROM generate_series(0, 14999) n;
`;

const addr = (n: number): Hex => `0x00${n.toString(16).padStart(16, "0")}${"aa".repeat(11)}`;
const word = (n: number): Hex => `0x${"00".repeat(12)}${addr(n).slice(2)}`;
const FIRST = { limit: PAGE, skip: 0 };
const DEEP = { limit: PAGE, skip: 900 };

const pattern = (topics: (number | undefined)[], address?: number): LogPattern => ({
  topics: topics.map((topic) => (topic === undefined ? undefined : word(topic))),
  address: address === undefined ? undefined : addr(address),
});
const logs = (patterns: LogPattern[], page = FIRST, from = 0, order: Order = "asc") =>
  searchLogs(sql, patterns, { from, to: "latest" }, page, order);
const owner = addr(1);

/** Each with the entries that it skips: these may be sorted too, where the index has the order of blocks only. */
const LISTS: [string, () => Promise<unknown>, skipped?: number][] = [
  [
    "transactions of a busy address",
    () => listTransactionsOfAddress(sql, { address: owner }, "desc", FIRST),
  ],
  [
    "a deep page of them",
    () => listTransactionsOfAddress(sql, { address: owner }, "asc", DEEP),
    900,
  ],
  [
    "transactions of an address in a time",
    () =>
      listTransactionsOfAddress(
        sql,
        { address: addr(5), timestamps: { from: 6_000, to: 12_000 }, blocks: { from: 600 } },
        "asc",
        FIRST,
      ),
  ],
  [
    "transactions that an address sent, of many that it received",
    () => listTransactionsOfAddress(sql, { address: addr(5), side: "from" }, "asc", FIRST),
    60,
  ],
  [
    "internal transactions of an address",
    () =>
      listInternalTransactionsOfAddress(
        sql,
        { address: owner, includeZeroValue: true },
        "desc",
        DEEP,
      ),
    900,
  ],
  [
    "valued internal transactions of an address",
    () =>
      listInternalTransactionsOfAddress(
        sql,
        { address: addr(5), includeZeroValue: false },
        "desc",
        FIRST,
      ),
  ],
  [
    "valued internal transactions of a busy address",
    () =>
      listInternalTransactionsOfAddress(
        sql,
        { address: owner, includeZeroValue: false },
        "desc",
        FIRST,
      ),
  ],
  [
    "valued internal transactions of the chain",
    () =>
      listInternalTransactionsOfBlocks(sql, { blocks: {}, includeZeroValue: false }, "desc", DEEP),
    900,
  ],
  [
    "internal transactions of a range",
    () =>
      listInternalTransactionsOfBlocks(
        sql,
        { blocks: { from: 900 }, includeZeroValue: true },
        "asc",
        FIRST,
      ),
  ],
  [
    "internal transactions of a transaction",
    () =>
      listInternalTransactionsOfTransaction(sql, word(70_007), { includeZeroValue: false }, "asc"),
  ],
  [
    "transfers of an address",
    () => listTokenTransfers(sql, { standard: 20, address: addr(5) }, "desc", FIRST),
  ],
  [
    "transfers of an address and a token",
    () =>
      listTokenTransfers(sql, { standard: 20, address: addr(5), token: addr(77) }, "asc", FIRST),
  ],
  [
    "transfers of a busy address and its token",
    () => listTokenTransfers(sql, { standard: 20, address: owner, token: addr(5) }, "desc", FIRST),
  ],
  [
    "transfers of a late token",
    () => listTokenTransfers(sql, { standard: 20, token: addr(77) }, "asc", DEEP),
    900,
  ],
  ["blocks of a miner", () => listMinedBlocks(sql, owner, { limit: PAGE, skip: 100 }), 100],
  ["uncles of a block", () => listUnclesOfBlock(sql, 7)],
  ["uncles of a miner", () => listUnclesOfMiner(sql, owner, { limit: PAGE, skip: 100 }), 100],
  [
    "withdrawals",
    () => listWithdrawals(sql, { address: owner, blocks: { from: 100 } }, "desc", DEEP),
    900,
  ],
  ["accounts by age", () => listCoinAccountsByAge(sql, DEEP), 900],
  ["accounts", () => listCoinAccounts(sql, [addr(1), addr(2)])],
  ["holders", () => getHolderPage(sql, addr(0), DEEP), 900],
  ["a holding", () => getHolding(sql, addr(0), addr(3))],
  ["NFTs of an owner", () => listNftsOfOwner(sql, addr(1), owner, DEEP), 900],
  ["a transaction", () => getTransaction(sql, word(70_007))],
  [
    "logs of a transaction",
    () =>
      listLogsOfTransaction(
        sql,
        { blockNumber: 700, blockHash: word(700), transactionIndex: 7 },
        { after: -1, limit: PAGE },
      ),
  ],
  ["contracts", () => listContracts(sql, "all", DEEP), 4 * 900],
  ["contracts by the beginning of their names", () => listContractsByName(sql, "coIN", FIRST), 100],
  [
    "creations of contracts",
    () => listContractCreations(sql, [addr(10_000), addr(1), addr(10_001)]),
  ],
];

const KINDS = [
  ["", executedPlansOf],
  [", by a plan for any parameters", genericPlansOf],
] as const;

describe("reads one index range up to the page, and sorts no more than that", () => {
  const CASES = KINDS.flatMap(([kind, plansOf]) =>
    LISTS.map(([name, list, skipped = 0]) => [name + kind, plansOf, list, skipped] as const),
  );
  test.each(CASES)("%s", async (_name, plansOf, list, skipped) => {
    const plans = await plansOf(sql, list);
    expect(plans.flatMap(slowNodes).filter((node) => node.startsWith("Seq"))).toEqual([]);
    expect(Math.max(...plans.map(largestSort))).toBeLessThanOrEqual(skipped + PAGE + BLOCK);
    const rows = plans.reduce((sum, plan) => sum + rowsRead(plan), 0);
    expect(rows).toBeGreaterThan(0);
    expect(rows).toBeLessThanOrEqual(skipped + TABLES * PAGE);
  });
});

/** Each with the branches that it is put together from, and the entries that are counted to choose an index. */
const SEARCHES: [string, () => Promise<unknown>, branches: number, counted?: number][] = [
  ["a late contract", () => logs([pattern([], 77)]), 1],
  ["the newest of a contract", () => logs([pattern([], 1)], FIRST, 0, "desc"), 1],
  ["the newest of a late contract", () => logs([pattern([], 77)], FIRST, 0, "desc"), 1],
  ["the newest of a frequent topic 0", () => logs([pattern([1])], FIRST, 0, "desc"), 1],
  ["a late contract and topic 0", () => logs([pattern([1], 77)]), 1],
  ["a frequent topic 0", () => logs([pattern([1])]), 1],
  ["a topic 0 that never occurs", () => logs([pattern([9])]), 1],
  ["a rare topic 1", () => logs([pattern([undefined, 5])]), 1],
  [
    "a rare topic 2 of a late contract",
    () => logs([pattern([undefined, undefined, 5], 77)]),
    1,
    1_100,
  ],
  ["a rare topic 1 with a frequent topic 0", () => logs([pattern([1, 5])]), 1, 1_100],
  ["a frequent topic 0 or a rare topic 1", () => logs([pattern([1]), pattern([undefined, 5])]), 2],
  ["a narrow range of a frequent topic 0", () => logs([pattern([1])], FIRST, BLOCKS - 3), 1],
];

// Address 1 stands in some 1,560 transactions, each of the others in some 60.
const PARTIES: [string, () => Promise<unknown>][] = [
  [
    "transactions from one address to another",
    () =>
      listTransactionsOfAddress(
        sql,
        { parties: { from: owner, to: addr(5), operator: "and" } },
        "desc",
        FIRST,
      ),
  ],
  [
    "a deep page of the transactions from one address or to another",
    () =>
      listTransactionsOfAddress(
        sql,
        { parties: { from: owner, to: addr(5), operator: "or" } },
        "asc",
        DEEP,
      ),
  ],
  [
    "transactions to an address alone",
    () =>
      listTransactionsOfAddress(
        sql,
        { parties: { to: addr(5), operator: "and" }, blocks: { from: 300 } },
        "asc",
        FIRST,
      ),
  ],
  [
    "internal transactions from one address or to another",
    () =>
      listInternalTransactionsOfAddress(
        sql,
        { parties: { from: owner, to: addr(5), operator: "or" }, includeZeroValue: true },
        "desc",
        FIRST,
      ),
  ],
  [
    "internal transactions from one address to another",
    () =>
      listInternalTransactionsOfAddress(
        sql,
        { parties: { from: owner, to: addr(5), operator: "and" }, includeZeroValue: false },
        "desc",
        FIRST,
      ),
  ],
  [
    "transfers from one address or to another",
    () =>
      listTokenTransfers(
        sql,
        { standard: 20, parties: { from: addr(5), to: addr(6), operator: "or" } },
        "desc",
        FIRST,
      ),
  ],
  [
    "transfers of a token from one address to another",
    () =>
      listTokenTransfers(
        sql,
        {
          standard: 20,
          parties: { from: addr(5), to: addr(6), operator: "and" },
          token: addr(77),
        },
        "asc",
        FIRST,
      ),
  ],
];

describe("finds the entries of two parties in the ranges of both", () => {
  test.each(PARTIES)("%s", async (_name, list) => {
    const plans = await executedPlansOf(sql, list);
    expect(plans.flatMap(slowNodes).filter((node) => node.startsWith("Seq"))).toEqual([]);
    const entries = 1_700;
    const rows = plans.reduce((sum, plan) => sum + rowsRead(plan), 0);
    expect(rows).toBeLessThanOrEqual(entries + TABLES * PAGE);
    expect(Math.max(...plans.map(largestSort))).toBeLessThanOrEqual(entries);
  });
});

describe("searches logs in index ranges, and sorts no more than the page of each", () => {
  const CASES = KINDS.flatMap(([kind, plansOf]) =>
    SEARCHES.map(
      ([name, search, branches, counted = 0]) =>
        [name + kind, plansOf, search, branches, counted] as const,
    ),
  );
  test.each(CASES)("%s", async (_name, plansOf, search, branches, counted) => {
    const plans = await plansOf(sql, search);
    expect(plans.flatMap(slowNodes).filter((node) => node.startsWith("Seq"))).toEqual([]);
    expect(Math.max(...plans.map(largestSort))).toBeLessThanOrEqual(branches * (PAGE + BLOCK));
    const rows = plans.reduce((sum, plan) => sum + rowsRead(plan), 0);
    expect(rows).toBeLessThanOrEqual(counted + (branches + TABLES) * PAGE);
  });

  test("a page of an address is skipped to by the index alone", async () => {
    const [plan] = await executedPlansOf(sql, () => logs([pattern([], 77)], DEEP));
    expect(plan && rowsRead(plan)).toBeLessThanOrEqual(900 + TABLES * PAGE);
  });

  test("nor does one of several servers read more for a page than what is before it", async () => {
    const spread = createSql(database.url, { connections: 1 });
    noteDistributed(spread as never, BLOCKS - 1);
    const [plan] = await executedPlansOf(spread, () =>
      searchLogs(spread, [pattern([1], 3)], { from: 0, to: "latest" }, { limit: PAGE, skip: 150 }),
    );
    await spread.end();
    expect(plan && rowsRead(plan)).toBeLessThanOrEqual(150 + TABLES * PAGE);
  });
});

describe("reads only what belongs to the one that is asked about", () => {
  test.each<[string, () => Promise<unknown>]>([
    [
      "unsure holdings of a token",
      () => listUnsureHoldings(sql, { token: addr(0) }, "pending", 201),
    ],
    ["unsure holdings of an owner", () => listUnsureHoldings(sql, { owner }, "pending", 201)],
    ["irregular holdings of an owner", () => listUnsureHoldings(sql, { owner }, "irregular", 201)],
    ["who funded an account", () => getFunding(sql, addr(5))],
    ["unverified contracts", () => listContracts(sql, "unverified", FIRST)],
    ["contracts without code", () => listEmptyContracts(sql, FIRST)],
  ])("%s", async (_name, ask) => {
    const plans = await executedPlansOf(sql, ask);
    expect(
      plans
        .flatMap(slowNodes)
        .filter((node) => /^Seq Scan (?!tokens|contract_d|verified)/.test(node)),
    ).toEqual([]);
    expect(plans.reduce((sum, plan) => sum + rowsRead(plan), 0)).toBeLessThanOrEqual(5_000);
  });

  test("what a roll-back reads again", async () => {
    const last = { from: BLOCKS - 1, to: BLOCKS - 1 };
    const plans = await executedPlansOf(sql, () =>
      listTouchedKeys(sql, stateFamilies, last, BLOCKS - 2),
    );
    expect(
      plans.flatMap(slowNodes).filter((node) => /^Seq Scan (?!tokens|contract_d)/.test(node)),
    ).toEqual([]);
    expect(plans.reduce((sum, plan) => sum + rowsRead(plan), 0)).toBeLessThanOrEqual(5_000);
  });

  test("what a head reads, while nothing is known of how many rows were read at which block", async () => {
    const read = ["addresses", "tokens", "token_balances", "token_id_balances"];
    await sql`DELETE FROM pg_statistic WHERE starelid = ANY (${read}::text[]::regclass[])`;
    const next = { from: BLOCKS, to: BLOCKS };
    const plans = await executedPlansOf(sql, () =>
      listTouchedKeys(sql, stateFamilies, next, BLOCKS),
    );
    await sql`ANALYZE`;
    const rows = read.map((table) => plans.reduce((sum, plan) => sum + rowsRead(plan, table), 0));
    expect(rows.filter((count) => count > 500)).toEqual([]);
  });

  test("tokens of an owner are read up to the page", async () => {
    const list = () => listOwnedTokens(sql, owner, [20, 404, 721, 1155], [], FIRST);
    const plans = await executedPlansOf(sql, list);
    expect(plans.flatMap(slowNodes).filter((node) => /^Seq Scan (?!tokens)/.test(node))).toEqual(
      [],
    );
  });
});
