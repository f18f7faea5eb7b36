import http from "node:http";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { actionsIn } from "../../../src/api/explorer/registry.ts";
import { createTestApp, type TestApp } from "../../support/app.ts";
import { addr, BLOCKS, WORLD_OF_LISTS, word } from "../../support/world-of-lists.ts";

const HEAD = BLOCKS - 1;
/** 26,000 or so. */
const ALL = "module=account&action=txlistinternal&include_zero_value=true&sort=asc";
const OF_TOKEN = `contractaddress=${addr(5)}`;
const TRANSFERS = `module=account&action=tokentx&${OF_TOKEN}&startblock=1000`;

let server: TestApp;
let origin: string;
beforeAll(async () => {
  server = await createTestApp({
    requestTimeoutMs: 600_000,
    trustedProxies: ["127.0.0.1"],
    content: WORLD_OF_LISTS,
  });
  await server.sql.unsafe(`
    UPDATE sync_state SET indexed = true, synchronised = true, head_hash = word(${HEAD});
    UPDATE tokens SET name = '=1+"1", ü😀' || chr(13) || chr(10) || 'x', symbol = '''@' WHERE address = addr(5);
    UPDATE logs SET data = decode(repeat('ab', 2000), 'hex') WHERE block_number > 1400`);
  origin = await server.app.listen({ host: "127.0.0.1", port: 0 });
});
afterAll(() => server.close());

const file = (query: string, path = "/api", headers: Record<string, string> = {}) =>
  fetch(`${origin}${path}?${query}`, { headers: { "accept-encoding": "identity", ...headers } });

/** The open transactions of the server under test. */
const transactions = () => server.sql`
  SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND backend_type = 'client backend' AND xact_start IS NOT NULL
    AND pid <> pg_backend_pid()`;

/** Fields of CSV (RFC 4180); one apostrophe in front of a guarded one is taken away. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let fields: string[] = [];
  const pattern = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
  for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
    const value = (found[1] ?? "").replaceAll('""', '"') || (found[2] ?? "");
    fields.push(value.replace(/^'/, ""));
    if (found[3] === "\r\n") {
      rows.push(fields);
      fields = [];
    }
  }
  return rows;
}

const ofAccount = (action: string, more = "") => [
  "/api",
  `module=account&action=${action}&address=${addr(1)}${more}`,
];
const EQUAL = [
  ["/api", TRANSFERS],
  ["/v2/api", TRANSFERS],
  ["/api", `module=logs&action=getLogs&fromBlock=1480&toBlock=latest&topic0=${word(1)}`],
  ["/v2/api", `module=token&action=getTokenHolders&contractaddress=${addr(1)}`],
  ["/v2/api", `module=token&action=tokenholderlist&contractaddress=${addr(1)}`],
  ["/v2/api", "module=token&action=listtokens"],
  ["/v2/api", "module=block&action=listblocks&startblock=1400"],
  ["/api", "module=contract&action=listcontracts&filter=verified"],
  ["/v2/api", "module=transaction&action=listtransactions&startblock=1470"],
  ["/api", `module=transaction&action=listtransfers&txhash=${word(70_007)}`],
  ["/v2/api", "module=account&action=listaccounts"],
  ["/v2/api", `module=transaction&action=listuserops&txhash=${word(70_007)}`],
  ofAccount("tokenlist"),
  ofAccount("addresstokenbalance"),
  ofAccount("addresstokennftbalance"),
  ofAccount("txlist"),
  ofAccount("txlistinternal"),
  ofAccount("tokennfttx"),
  ofAccount("token1155tx"),
  ofAccount("token404tx"),
  ofAccount("userops"),
  ofAccount("txsBeaconWithdrawal"),
  ofAccount("getminedblocks"),
] as [path: string, query: string][];

/** They ask contracts. */
const NOT_COMPARED = ["approvals", "addresstokennftinventory"];

test("every list that has cursors is compared", () => {
  const compared = EQUAL.map(([, query]) => new URLSearchParams(query).get("action"));
  const lists = actionsIn("etherscan").filter(({ action }) => action.cursor);
  const names = lists.map(({ action }) => action.name);
  expect(new Set([...compared, ...NOT_COMPARED])).toEqual(new Set(names));
});

test.each(EQUAL)("CSV, NDJSON and JSON are equal: %s?%s", async (path, query) => {
  const rows: object[] = [];
  for (let cursor: string | null = "start"; cursor !== null; ) {
    const page = await fetch(`${origin}${path}?${query}&offset=5000&cursor=${cursor}`);
    rows.push(...((await page.json()) as { result: object[] }).result);
    cursor = page.headers.get("x-next-cursor");
  }
  const lines = await file(`${query}&format=ndjson`, path);
  expect(lines.headers.get("content-type")).toBe("application/x-ndjson; charset=utf-8");
  expect(lines.headers.get("x-periscope-rows")).toBe(String(rows.length));
  const text = await lines.text();
  expect(text).toBe(rows.map((row) => `${JSON.stringify(row)}\n`).join(""));

  const sheet = await file(`${query}&format=csv`, path);
  expect(sheet.headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present");
  const [columns = [], ...values] = parseCsv(await sheet.text());
  expect(columns.slice(0, Object.keys(rows[0] ?? {}).length)).toEqual(Object.keys(rows[0] ?? {}));
  const textOf = (value: unknown) =>
    typeof value === "object" && value !== null ? JSON.stringify(value) : String(value ?? "");
  expect(values).toEqual(
    rows.map((row) => columns.map((name) => textOf((row as Record<string, unknown>)[name]))),
  );
});

test("what a spreadsheet would take for a formula is guarded", async () => {
  const text = await (await file(`${TRANSFERS}&format=csv&offset=1`)).text();
  expect(text).toContain(`,"'=1+""1"", ü😀\r\nx",`);
  expect(text).toContain(`,"''@",`);
});

test("a long list is a chain of files, each the same when it is asked for again", async () => {
  const list = `${ALL}&startblock=1000&format=ndjson`;
  const whole = await (await file(list)).text();
  const parts: string[] = [];
  for (let cursor: string | null = "start"; cursor !== null; ) {
    const query = `${list}&offset=4000&cursor=${cursor}`;
    const part = await file(query);
    const text = await part.text();
    expect(text.split("\n").length - 1).toBe(Number(part.headers.get("x-periscope-rows")));
    expect(await (await file(query)).text()).toBe(text);
    parts.push(text);
    cursor = part.headers.get("x-next-cursor");
  }
  expect(parts).toHaveLength(3);
  expect(parts.join("")).toBe(whole);
});

test("has its headers, compressed too, and HEAD has the same", async () => {
  const query = `${TRANSFERS}&format=csv`;
  const whole = await (await file(query)).text();
  // Each name has a line end.
  const rows = (whole.split("\r\n").length - 2) / 2;
  const packed = await new Promise<Buffer>((resolve) => {
    http.get(
      `${origin}/api?${query}`,
      { headers: { "accept-encoding": "gzip" } },
      async (answer) => {
        expect(answer.headers["content-encoding"]).toBe("gzip");
        const chunks: Buffer[] = [];
        for await (const chunk of answer) chunks.push(chunk as Buffer);
        resolve(Buffer.concat(chunks));
      },
    );
  });
  expect(gunzipSync(packed).toString()).toBe(whole);
  for (const method of ["GET", "HEAD"]) {
    const answer = await fetch(`${origin}/api?${query}`, { method });
    await answer.text();
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-disposition": `attachment; filename="31337-tokentx-${addr(5)}-${HEAD}.csv"`,
      "cache-control": "no-store",
      "x-periscope-rows": String(rows),
      "x-periscope-block": `${HEAD};${word(HEAD)}`,
    });
    expect(answer.headers.has("etag")).toBe(false);
  }
});

test("nothing found is the header line alone, or nothing", async () => {
  const query = `module=account&action=txlist&address=${addr(9_999_999)}&format=`;
  const sheet = await file(`${query}csv`, "/v2/api");
  expect([sheet.status, sheet.headers.get("x-periscope-rows")]).toEqual([200, "0"]);
  expect(await sheet.text()).toMatch(/^blockNumber,timeStamp,.*,methodId,functionName\r\n$/);
  expect(await (await file(`${query}ndjson`)).text()).toBe("");
});

test("a failure is no file: HTTP 400 and the words of the action", async () => {
  for (const [query, message] of [
    [`module=account&action=txlist&address=0x1&format=csv`, "Invalid address format"],
    [`${TRANSFERS}&format=csv&cursor=x`, "Invalid cursor"],
    [
      `module=account&action=tokentx&format=csv`,
      "Query parameter address or contractaddress is required",
    ],
  ]) {
    const answer = await file(query ?? "");
    expect([answer.status, ((await answer.json()) as { message: string }).message]).toEqual([
      400,
      message,
    ]);
  }
  const other = await file(`${TRANSFERS}&format=xml`);
  expect(((await other.json()) as { message: string }).message).toBe("Invalid format");
  // Unknown where nothing is listed.
  expect((await file("module=stats&action=ethsupply&format=csv")).status).toBe(200);
});

test("two files at once are a client's, and each is free again when its reader leaves", async () => {
  const open = () =>
    new Promise<http.IncomingMessage>((resolve) => {
      http.get(`${origin}/api?${ALL}&format=ndjson`, { agent: false }, resolve);
    });
  // Neither reads.
  const answers = [await open(), await open()];
  const refused = await file(`${ALL}&format=csv`);
  expect(refused.status).toBe(503);
  expect(refused.headers.get("retry-after")).not.toBeNull();
  expect(((await refused.json()) as { message: string }).message).toBe(
    "Too many files are under way, please try again later",
  );
  for (const answer of answers) answer.destroy();
  await expect
    .poll(async () => (await file(`${ALL}&format=csv&offset=1`)).status, { timeout: 20_000 })
    .toBe(200);
});

test("a file whose transaction ends is an error, not a part", async () => {
  // Those of files before may take a moment to end.
  await expect.poll(async () => (await transactions()).length).toBe(0);
  const asked = file(`${ALL}&format=ndjson`);
  const end = () => server.sql`SELECT pg_terminate_backend(pid) FROM (${transactions()}) AS open`;
  await expect.poll(async () => (await end()).length, { timeout: 20_000 }).toBeGreaterThan(0);
  const answer = await asked;
  expect(answer.status).toBe(503);
  expect(answer.headers.get("x-periscope-error")).toBe("database-unreachable");
  await answer.text();
});

test("a client that does not read a file holds no transaction", async () => {
  const answer = await new Promise<http.IncomingMessage>((resolve) => {
    http.get(`${origin}/api?${ALL}&format=ndjson`, { agent: false }, resolve);
  });
  expect(answer.statusCode).toBe(200);
  await expect.poll(async () => (await transactions()).length, { timeout: 5_000 }).toBe(0);
  answer.destroy();
});

test("a file may take longer than an answer", async () => {
  const quick = await createTestApp({ requestTimeoutMs: 200, sql: server.sql });
  const url = await quick.app.listen({ host: "127.0.0.1", port: 0 });
  const answer = await fetch(`${url}/api?${ALL}&format=ndjson`);
  const lines = (await answer.text()).split("\n").length - 1;
  expect(answer.headers.get("x-periscope-rows")).toBe(String(lines));
  await quick.close();
});

test("memory does not grow with the rows of files", async () => {
  // 26,000 rows have some 9 MB of text.
  const before = process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed;
  let most = 0;
  const timer = setInterval(() => {
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    most = Math.max(most, heapUsed + arrayBuffers - before);
  }, 20);
  const asked = Array.from({ length: 20 }, (_, index) =>
    file(`${ALL}&format=ndjson`, "/api", { "x-forwarded-for": `10.0.0.${index}` }).then(
      async (answer) => {
        let bytes = 0;
        if (answer.body) for await (const chunk of answer.body) bytes += chunk.length;
        return answer.status === 200 ? bytes : answer.status;
      },
    ),
  );
  const outcomes = await Promise.all(asked);
  clearInterval(timer);
  // The test's database has few connections, of which files take half.
  expect(outcomes.filter((bytes) => bytes > 5_000_000).length).toBeGreaterThanOrEqual(2);
  expect(outcomes.filter((bytes) => bytes <= 5_000_000 && bytes !== 503)).toEqual([]);
  expect(most).toBeLessThan(300_000_000);
});
