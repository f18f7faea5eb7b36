import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Address } from "../../src/core/evm/address.ts";
import { createSql, type Sql } from "../../src/db/client.ts";
import { stateFamilies } from "../../src/indexer/state/families.ts";
import { listTouchedKeys } from "../../src/indexer/state/reading.ts";
import { listBlocks, listMinedBlocks } from "../../src/store/blocks/blocks.ts";
import { listUnclesOfBlock, listUnclesOfMiner } from "../../src/store/blocks/uncles.ts";
import { listWithdrawals } from "../../src/store/blocks/withdrawals.ts";
import { noteDistributed } from "../../src/store/cluster/distributed-reads.ts";
import { listContractCreations } from "../../src/store/contracts/creations.ts";
import { listContracts, listEmptyContracts } from "../../src/store/contracts/list.ts";
import { listActivity } from "../../src/store/lists/activity.ts";
import {
  listTransactionsOfAddress,
  listTransactionsOfBlocks,
} from "../../src/store/lists/address-transactions.ts";
import {
  listInternalTransactionsOfAddress,
  listInternalTransactionsOfBlocks,
  listInternalTransactionsOfTransaction,
} from "../../src/store/lists/internal-transactions.ts";
import type { PageRange } from "../../src/store/lists/large-pages.ts";
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
  listTouchedHoldings,
  writeHoldings,
} from "../../src/store/state/token-balances/readings.ts";
import {
  executedPlansOf,
  genericPlansOf,
  largestSort,
  rowsRead,
  slowNodes,
} from "../support/explain.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { addr, BLOCKS, WORLD_OF_LISTS, word } from "../support/world-of-lists.ts";

const PAGE = 50;
/** Rows of a block. */
const BLOCK = 20;
/** A row of a page is looked at in at most so many tables. */
const TABLES = 7;

let database: TestDatabase;
let sql: Sql;
beforeAll(async () => {
  database = await createTestDatabase(WORLD_OF_LISTS);
  sql = database.sql;
  await sql`VACUUM ANALYZE`;
});
afterAll(() => database.drop());

const FIRST = { limit: PAGE, skip: 0 };
const DEEP = { limit: PAGE, skip: 900 };

const pattern = (topics: (number | undefined)[], address?: number): LogPattern => ({
  topics: topics.map((topic) => (topic === undefined ? undefined : word(topic))),
  address: address === undefined ? undefined : addr(address),
});
const logs = (patterns: LogPattern[], page = FIRST, from = 0, order: Order = "asc") =>
  searchLogs(sql, patterns, { from, to: "latest" }, page, order);
const owner = addr(1);

/** Pages behind a key in the middle of their lists. */
const BEHIND: [string, () => Promise<unknown>][] = [
  [
    "transactions of a busy address",
    (page: PageRange) => listTransactionsOfAddress(sql, { address: owner }, "desc", page),
    ["700", "5"],
  ],
  [
    "transactions of blocks",
    (page: PageRange) => listTransactionsOfBlocks(sql, {}, "desc", page),
    ["700", "5"],
  ],
  [
    "internal transactions of a busy address",
    (page: PageRange) =>
      listInternalTransactionsOfAddress(
        sql,
        { address: owner, includeZeroValue: true },
        "asc",
        page,
      ),
    ["700", "5", "1"],
  ],
  [
    "internal transactions of blocks",
    (page: PageRange) =>
      listInternalTransactionsOfBlocks(sql, { blocks: {}, includeZeroValue: true }, "desc", page),
    ["700", "5", "1"],
  ],
  [
    "transfers of an address",
    (page: PageRange) => listTokenTransfers(sql, { standard: 20, address: owner }, "desc", page),
    ["700", "5", "0"],
  ],
  [
    "transfers of a token",
    (page: PageRange) => listTokenTransfers(sql, { standard: 20, token: addr(5) }, "asc", page),
    ["700", "0", "0"],
  ],
  [
    "logs of a topic",
    (page: PageRange) => searchLogs(sql, [pattern([0])], { from: 0, to: "latest" }, page, "desc"),
    ["700", "5"],
  ],
  [
    "withdrawals",
    (page: PageRange) => listWithdrawals(sql, { address: owner }, "desc", page),
    ["700", "2200"],
  ],
  ["blocks", (page: PageRange) => listBlocks(sql, {}, page), ["700"]],
  ["mined blocks", (page: PageRange) => listMinedBlocks(sql, owner, page), ["701"]],
  ["uncles", (page: PageRange) => listUnclesOfMiner(sql, owner, page), ["700", "701", "0"]],
  ["accounts", (page: PageRange) => listCoinAccountsByAge(sql, page), ["700", addr(700)]],
  [
    "contracts",
    (page: PageRange) => listContracts(sql, "all", page),
    ["700", "0", "700", addr(10_700)],
  ],
  ["holders", (page: PageRange) => getHolderPage(sql, addr(1), page), ["7000", addr(6999)]],
  ["ids", (page: PageRange) => listNftsOfOwner(sql, owner, owner, page), ["700"]],
].map(([name, read, after]) => [
  `${name} behind a key`,
  () => (read as (page: PageRange) => Promise<unknown>)({ ...FIRST, after: after as string[] }),
]);

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
      listInternalTransactionsOfTransaction(
        sql,
        word(70_007),
        { includeZeroValue: false },
        "asc",
        FIRST,
      ),
  ],
  ...BEHIND,
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
      listTouchedKeys({ sql, families: stateFamilies }, last, BLOCKS - 2),
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
      listTouchedKeys({ sql, families: stateFamilies }, next, BLOCKS),
    );
    await sql`ANALYZE`;
    const rows = read.map((table) => plans.reduce((sum, plan) => sum + rowsRead(plan, table), 0));
    expect(rows.filter((count) => count > 500)).toEqual([]);
  });

  test("holdings that a block names are looked up by their keys, not in the whole table", async () => {
    const keys = Array.from({ length: 500 }, (_, n) => ({
      ...{ token: addr(2), owner: addr(n) },
      tokenId: null,
    }));
    const next = { from: BLOCKS, to: BLOCKS, signs: { tokens: [], keys } };
    const plans = await executedPlansOf(sql, () => listTouchedHoldings(sql, next));
    expect(plans.flatMap(slowNodes).filter((node) => node.includes("balances"))).toEqual([]);
  });

  test("tokens of an owner are read up to the page", async () => {
    for (const page of [FIRST, { ...FIRST, after: [addr(700), "-1"] }]) {
      const list = () => listOwnedTokens(sql, owner, [20, 404, 721, 1155], [], page);
      const plans = await executedPlansOf(sql, list);
      const scans = plans.flatMap(slowNodes).filter((node) => /^Seq Scan (?!tokens)/.test(node));
      expect(scans).toEqual([]);
    }
  });
});

test("what new blocks add to the lists of busy addresses is read by their keys", async () => {
  const blocks = { from: BLOCKS - 5, to: BLOCKS - 1 };
  const list = () => listActivity(sql, [addr(1), addr(2), addr(3)], blocks);
  const plans = await executedPlansOf(sql, list);
  const added = (await list()).reduce((sum, { rows }) => sum + rows, 0);
  expect(added).toBeGreaterThan(10);
  expect(plans.reduce((sum, plan) => sum + rowsRead(plan), 0)).toBeLessThan(10 * added);
});

test("holdings of a token of many holders are found each by itself, without statistics", async () => {
  const fresh = await createTestDatabase();
  const many = 2_000;
  const numbered = (n: number): Address => `0x${n.toString(16).padStart(40, "0")}`;
  await fresh.sql`ALTER TABLE token_balances SET (autovacuum_enabled = false)`;
  await fresh.sql`INSERT INTO tokens (address, standard, first_block)
    SELECT decode(lpad(to_hex(n), 40, '0'), 'hex'), 20, 0 FROM generate_series(1, ${many}::int) AS n`;
  await fresh.sql`INSERT INTO token_balances (token, owner, amount, transferred_amount)
    SELECT address, address, 1, 1 FROM tokens`;
  await fresh.sql`ANALYZE tokens, token_balances`;
  await fresh.sql`INSERT INTO token_balances (token, owner, amount, transferred_amount)
    SELECT ${numbered(1)}, decode(lpad(to_hex(n), 40, '0'), 'hex'), 1, 1 FROM generate_series(2, ${many}::int) AS n`;
  const read = Array.from({ length: 100 }, (_, n) => ({
    token: numbered(1),
    owner: numbered(n + 1),
    tokenId: null,
    addsUp: false,
    amount: 2n,
  }));
  const plans = await executedPlansOf(fresh.sql, () =>
    fresh.sql.begin((transaction) => writeHoldings(transaction, 1, read)),
  );
  const rows = plans.map((plan) => rowsRead(plan, "token_balances"));
  expect(Math.max(...rows)).toBeLessThan(4 * read.length);
  await fresh.drop();
});
