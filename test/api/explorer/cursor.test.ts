import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { listContracts } from "../../../src/store/contracts/list.ts";
import { listVerifiedContracts } from "../../../src/store/contracts/verified/summaries.ts";
import { listCoinAccountsByAge } from "../../../src/store/state/addresses/coin-balances.ts";
import { createTestApp, type TestApp } from "../../support/app.ts";
import { addr, BLOCKS, WORLD_OF_LISTS, word } from "../../support/world-of-lists.ts";

// Walks over whole lists, the longest of 27,000 rows, while heads come and go above the block that they are pinned to.

/** The served head when each walk begins. */
const HEAD = 1_399;
const ALL = { limit: 50_000, skip: 0 };
const TRANSACTION = word(70_007);

let server: TestApp;
beforeAll(async () => {
  server = await createTestApp({ content: WORLD_OF_LISTS });
  await server.sql.unsafe(`
    UPDATE sync_state SET indexed = true, synchronised = true;
    UPDATE addresses SET balance_block = 1, balance = 5;
    INSERT INTO token_transfers
      SELECT 700, 7, n, 7, addr(9), 1155, addr(3), addr(4), n, 1 FROM generate_series(1, 60) n;
    INSERT INTO internal_transactions
      SELECT 700, 7, n, ARRAY[0, n], 'call', 'call', addr(3), addr(4), NULL, 5, 1, 1, '\\x', NULL, true
      FROM generate_series(2, 60) n`);
});
afterAll(() => server.close());
beforeEach(() => serve(HEAD));

/** Serves a head, as after a roll-back where it is below the one before. */
async function serve(number: number): Promise<void> {
  await server.sql`
    UPDATE sync_state SET head_number = number, head_hash = hash, head_timestamp = timestamp, generation = generation + 1
    FROM blocks WHERE number = ${number}`;
}

async function get(path: string, query: string) {
  const { statusCode, headers, body } = await server.app.inject(`${path}?${query}`);
  const answer = JSON.parse(body) as { status: string; message: string; result: unknown[] };
  const next = headers["x-next-cursor"] as string | undefined;
  return { statusCode, block: headers["x-periscope-block"], next, ...answer };
}

/** All pages of a walk; between two of them the head is another one. */
async function walk(path: string, query: string, offset: number) {
  const pages: unknown[][] = [];
  const blocks = new Set<unknown>();
  let next: string | undefined = "start";
  for (let turn = 0; next !== undefined; turn++) {
    const page: Awaited<ReturnType<typeof get>> = await get(
      path,
      `${query}&offset=${offset}&cursor=${next}`,
    );
    expect(page).toMatchObject({ statusCode: 200, status: "1" });
    pages.push(page.result);
    blocks.add(page.block);
    next = page.next;
    if (next !== undefined) expect(page.result).toHaveLength(offset);
    await serve(HEAD + ((turn * 37) % 100));
  }
  return { rows: pages.flat(), pages: pages.length, blocks };
}

/** The rows of a list by its pages, which are counted. */
async function countedPages(path: string, query: string, offset: number): Promise<unknown[]> {
  const rows: unknown[] = [];
  for (let page = 1; ; page++) {
    const { result } = await get(path, `${query}&page=${page}&offset=${offset}`);
    rows.push(...result);
    if (result.length < offset) return rows;
  }
}

const unconfirmed = (row: unknown) => ({ ...(row as object), confirmations: "" });

/** Shows the first rows that differ alone. */
function expectSame(rows: unknown[], expected: unknown[]): void {
  const at = rows.findIndex(
    (row, index) => JSON.stringify(row) !== JSON.stringify(expected[index]),
  );
  if (at >= 0) expect(rows.slice(at, at + 1)).toEqual(expected.slice(at, at + 1));
  expect(rows).toHaveLength(expected.length);
}

const ONE = `address=${addr(1)}`;
const HISTORIES: [query: string, offset: number][] = [
  [`module=account&action=txlist&${ONE}`, 400],
  [`module=account&action=txlist&${ONE}&sort=asc&filter_by=from&endblock=900`, 400],
  [`module=account&action=txlistinternal&${ONE}&include_zero_value=true`, 400],
  ["module=account&action=txlistinternal&sort=asc", 700],
  [`module=account&action=txlistinternal&txhash=${TRANSACTION}`, 25],
  [`module=account&action=tokentx&${ONE}`, 400],
  [`module=account&action=tokentx&contractaddress=${addr(5)}&sort=asc`, 700],
  [`module=account&action=tokentx&${ONE}&contractaddress=${addr(5)}`, 400],
  [`module=logs&action=getLogs&fromBlock=100&toBlock=latest&topic0=${word(0)}`, 1_000],
  [
    `module=logs&action=getLogs&fromBlock=0&toBlock=1300&topic0=${word(0)}&topic1=${word(1)}&topic0_1_opr=or&newest_first=true`,
    1_000,
  ],
  [`module=account&action=txsBeaconWithdrawal&${ONE}`, 999],
  [`module=account&action=getminedblocks&${ONE}`, 300],
  ["module=transaction&action=listtransactions&startblock=1200", 700],
  ["module=block&action=listblocks", 500],
  [`module=transaction&action=listtransfers&txhash=${TRANSACTION}`, 25],
];

describe("a walk", () => {
  // Each list in one of the two dialects.
  const walks = HISTORIES.map(
    ([query, offset], index) => [index % 2 === 0 ? "/api" : "/v2/api", query, offset] as const,
  );
  test.each(walks)(
    "%s?%s has each row of its first page's block once",
    async (path, query, offset) => {
      // Without pages in counted order where the action has none.
      const isOfTransaction = query.includes("txlistinternal&txhash");
      const expected = isOfTransaction
        ? (await get(path, query)).result
        : await countedPages(path, query, offset);
      const walked = await walk(path, query, offset);
      expect(walked.pages).toBeGreaterThan(1);
      // Confirmations count from the block that the walk is pinned to.
      const isBounded = query.includes("endblock");
      expectSame(
        isBounded ? walked.rows.map(unconfirmed) : walked.rows,
        isBounded ? expected.map(unconfirmed) : expected,
      );
      expect(walked.blocks.size).toBe(1);
    },
  );
});

test("the uncles of a miner, and the transfers of two parties, are walked over in Etherscan's dialect", async () => {
  for (const query of [
    `module=account&action=getminedblocks&${ONE}&blocktype=uncles`,
    `module=account&action=tokentx&from=${addr(5)}&to=${addr(6)}&fromto_opr=or`,
    `module=account&action=txlist&from=${addr(1)}&to=${addr(6)}&fromto_opr=or`,
  ]) {
    await serve(HEAD);
    const expected = await countedPages("/v2/api", query, 20);
    const walked = await walk("/v2/api", query, 20);
    expect(walked.pages, query).toBeGreaterThan(1);
    expectSame(walked.rows, expected);
  }
});

test("a list of 27,000 rows is walked over, and ends at the block that its bound names", async () => {
  const { rows, blocks } = await walk(
    "/api",
    "module=account&action=txlistinternal&include_zero_value=true&sort=asc&endblock=1350",
    9_000,
  );
  const [found] = await server.sql<{ count: number }[]>`
    SELECT count(*)::int FROM internal_transactions WHERE block_number <= 1350`;
  expect(rows.length).toBeGreaterThan(25_000);
  expect(rows).toHaveLength(found?.count ?? 0);
  expect(new Set(rows.map((row) => JSON.stringify(row))).size).toBe(rows.length);
  expect([...blocks]).toEqual([`1350;${word(1350)}`]);
});

test("members are those up to the head of the first page, each once", async () => {
  const addressesOf = (rows: unknown[]) =>
    rows.map((row) => {
      const { address, Address } = row as { address?: string; Address?: string };
      return address ?? Address;
    });
  const oracle = async (rows: Promise<{ address: string }[]>) =>
    (await rows).map(({ address }) => address);
  for (const [query, expected] of [
    ["module=account&action=listaccounts", oracle(listCoinAccountsByAge(server.sql, ALL))],
    ["module=contract&action=listcontracts", oracle(listContracts(server.sql, "all", ALL))],
    [
      "module=contract&action=listcontracts&filter=unverified",
      oracle(listContracts(server.sql, "unverified", ALL)),
    ],
    [
      "module=contract&action=listcontracts&filter=verified",
      oracle(listVerifiedContracts(server.sql, ALL)),
    ],
  ] as const) {
    const addresses = await expected;
    const { rows } = await walk("/api", query, 4_900);
    expect(addressesOf(rows), query).toEqual(addresses);
    expect(new Set(addresses).size).toBe(addresses.length);
    await serve(HEAD);
  }
});

test.each([
  ["module=token&action=getTokenHolders", `contractaddress=${addr(1)}`],
  ["module=token&action=tokenholderlist", `contractaddress=${addr(2)}`],
  ["module=account&action=tokenlist", ONE],
  ["module=account&action=addresstokenbalance", ONE],
])("holdings are walked over while nothing moves them: %s", async (action, of) => {
  // Address 1 moves tokens in the newest blocks, which are not published.
  const query = `${action}&${of}`;
  const expected = await countedPages("/v2/api", query, 900);
  const pages: unknown[] = [];
  for (let next: string | undefined = "start"; next !== undefined; ) {
    const page: Awaited<ReturnType<typeof get>> = await get(
      "/v2/api",
      `${query}&offset=450&cursor=${next}`,
    );
    pages.push(...page.result);
    next = page.next;
  }
  expectSame(pages, expected);
  expect(pages.length).toBeGreaterThan(450);
});

describe("a cursor is refused", () => {
  const QUERY = `module=account&action=txlist&${ONE}&offset=100`;
  const HOLDINGS = `module=account&action=tokenlist&${ONE}&offset=100`;
  const next = async (query: string, path = "/api") =>
    (await get(path, `${query}&cursor=start`)).next ?? "";
  const messageOf = async (query: string, path = "/api") => {
    const { statusCode, message } = await get(path, query);
    return `${statusCode} ${message}`;
  };

  test("where its text is of no answer, or was altered", async () => {
    const cursor = await next(QUERY);
    expect(cursor.length).toBeLessThanOrEqual(256);
    const parts = Buffer.from(cursor, "base64url").toString().split(".");
    const altered = (...key: string[]) =>
      Buffer.from([...parts.slice(0, 3), ...key].join(".")).toString("base64url");
    for (const text of [
      "",
      "Start",
      "abc",
      `${cursor}=`,
      altered("1"),
      altered("1", "2", "3"),
      altered("1", "x"),
      altered("1", `0x${"00".repeat(20)}`),
      altered("9".repeat(20), "1"),
    ]) {
      expect(await messageOf(`${QUERY}&cursor=${text}`), text).toBe("200 Invalid cursor");
    }
    expect(await messageOf(`module=contract&action=listcontracts&cursor=x`)).toBe(
      "200 Invalid cursor",
    );
  });

  test("for another request, but not for another length of pages", async () => {
    const cursor = await next(QUERY);
    const other = "200 The cursor belongs to another request";
    expect(await messageOf(`${QUERY}&sort=asc&cursor=${cursor}`)).toBe(other);
    expect(await messageOf(`${QUERY.replace("txlist", "tokentx")}&cursor=${cursor}`)).toBe(other);
    expect((await get("/v2/api", `${QUERY}&cursor=${cursor}`)).result).toBe(other.slice(4));
    const short = await get("/api", `${QUERY}&offset=7&apikey=a&page=1&cursor=${cursor}`);
    expect(short.result).toHaveLength(7);
  });

  test("with a page, and the rule of the window has no effect", async () => {
    expect(await messageOf(`${QUERY}&page=2&cursor=start`)).toBe(
      "200 page and cursor cannot be combined",
    );
    expect(await messageOf(`${QUERY}&page=200&cursor=start`)).toBe(
      "200 page and cursor cannot be combined",
    );
    expect(await messageOf(`${QUERY}&page=0&cursor=start`)).toBe("200 OK");
  });

  test("when its block is no longer of the chain, or the index is another one", async () => {
    const REORGANISED = "409 The chain was reorganised below this cursor, please begin again";
    const cursor = await next(QUERY);
    await serve(HEAD - 1);
    expect(await messageOf(`${QUERY}&cursor=${cursor}`)).toBe(REORGANISED);
    await serve(HEAD);
    expect(await messageOf(`${QUERY}&cursor=${cursor}`)).toBe("200 OK");
    await server.sql`UPDATE blocks SET hash = ${word(1)} WHERE number = ${HEAD}`;
    expect(await messageOf(`${QUERY}&cursor=${cursor}`)).toBe(REORGANISED);
    await server.sql`UPDATE blocks SET hash = ${word(HEAD)} WHERE number = ${HEAD}`;
    const [state] = await server.sql<{ indexId: string }[]>`SELECT index_id FROM sync_state`;
    await server.sql`UPDATE sync_state SET index_id = gen_random_uuid()`;
    expect(await messageOf(`${QUERY}&cursor=${cursor}`)).toBe(REORGANISED);
    await server.sql`UPDATE sync_state SET index_id = ${state?.indexId ?? ""}`;
  });

  test("when a transfer has changed the holdings", async () => {
    const cursor = await next(HOLDINGS);
    await server.sql`UPDATE blocks SET hash = ${word(1)} WHERE number = ${HEAD}`;
    const [last] = await server.sql<{ number: number }[]>`
      SELECT max(block_number) AS number FROM address_token_transfers
      WHERE address = ${addr(1)} AND block_number <= ${HEAD}`;
    const isLast = last?.number === HEAD;
    const CHANGED =
      "409 The list has changed since this cursor, please begin again, or take it as a file";
    expect(await messageOf(`${HOLDINGS}&cursor=${cursor}`)).toBe(isLast ? CHANGED : "200 OK");
    await server.sql`UPDATE blocks SET hash = ${word(HEAD)} WHERE number = ${HEAD}`;
    await serve(BLOCKS - 1);
    expect(await messageOf(`${HOLDINGS}&cursor=${cursor}`)).toBe(CHANGED);
  });
});

test("a bundler whose transactions have no user operations is read for a bounded time", async () => {
  const ofBundler = `module=account&action=userops&role=bundler&address=${addr(8_888_888)}`;
  await server.sql`
    INSERT INTO address_transactions (address, block_number, transaction_index, sides)
    SELECT addr(8_888_888), 700, n, 1 FROM generate_series(1000, 51_000) n`;
  for (const cursor of ["", "&cursor=start"]) {
    const answer = await get("/api", ofBundler + cursor);
    expect(answer).toMatchObject({ statusCode: 200, status: "0", result: null });
    expect(answer.message).toContain("please narrow the range");
  }
  const after = await get("/api", `${ofBundler}&startblock=701`);
  expect(after).toMatchObject({ status: "0", message: "No user operations found", result: [] });
});
