import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Anvil, startAnvil } from "./support/anvil.ts";
import { type ChainsFile, createChainsFile, type FileChain } from "./support/chains-file.ts";
import { type Periscope, startPeriscope } from "./support/periscope.ts";
import { createTestDatabase, type TestDatabase } from "./support/postgres.ts";

const PATIENCE = { timeout: 90_000, interval: 100 };
/** Anvil gives it coins when it has ten accounts or more. */
const TENTH_ACCOUNT = "0xa0Ee7A142d267C1f36714E4a8F75612F20a79720";

let database: TestDatabase;
let north: Anvil;
let south: Anvil;
let other: Anvil;
let file: ChainsFile;
let first: Periscope;
let url: string;

const chain = (id: number, name: string, node: Anvil): FileChain => ({
  CHAIN_ID: id,
  NETWORK_NAME: name,
  RPC_URL: node.url,
  DATABASE_SCHEMA: `chain_${id}`,
});
const northChain = () => chain(31_337, "North", north);
const southChain = () => chain(42, "South Sea", south);

beforeAll(async () => {
  const anvil = (id: number, accounts: number) =>
    startAnvil(["--chain-id", String(id), "--accounts", String(accounts)]);
  [database, north, south, other] = await Promise.all([
    createTestDatabase(),
    anvil(31_337, 10),
    anvil(42, 7),
    anvil(43, 3),
  ]);
  file = createChainsFile([northChain(), southChain()]);
  ({ periscope: first, url } = await start());
});
afterAll(async () => {
  await Promise.all(running.map((periscope) => periscope.end("SIGKILL")));
  await database.drop();
  await Promise.all([north.stop(), south.stop(), other.stop()]);
  file.remove();
});

const running: Periscope[] = [];

/** Starts a process on the file; gives it with its URL. */
async function start(more: Record<string, string> = {}) {
  const settings = {
    DATABASE_URL: database.url,
    CHAINS_FILE: file.path,
    REQUEST_TIMEOUT_MS: "2000",
  };
  const periscope = startPeriscope({ ...settings, ...more });
  running.push(periscope);
  const listening = await vi.waitUntil(
    () => /Server listening at (http:\S+)/.exec(periscope.messages().join("\n")),
    PATIENCE,
  );
  return { periscope, url: listening[1] ?? "" };
}

// biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever is answered
async function get(path: string, base = url): Promise<any> {
  return (await fetch(base + path)).json();
}

async function ask<Result>(node: Anvil, method: string, ...params: unknown[]): Promise<Result> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const headers = { "content-type": "application/json" };
  const answer = await fetch(node.url, { method: "POST", headers, body });
  return ((await answer.json()) as { result: Result }).result;
}

/** Mines a block; returns its number in the API. */
async function mine(node: Anvil): Promise<string> {
  await ask(node, "evm_mine");
  return ask(node, "eth_blockNumber");
}

const HEAD = "module=block&action=eth_block_number";
const headAt = async (path: string, base = url) => (await get(`${path}?${HEAD}`, base)).result;
const WRONG_CHAIN = "Missing or unsupported chainid parameter";

describe("two chains", () => {
  test("are each served under id and name, the first one also where no chain is named", async () => {
    const northHead = await mine(north);
    await mine(south);
    const southHead = await mine(south);
    for (const path of ["/api", "/31337/api", "/north/api", "/31337/v2/api", "/north//api/"]) {
      await expect.poll(() => headAt(path), PATIENCE).toBe(northHead);
    }
    for (const path of ["/42/api", "/south-sea/api", "/south-sea/v2/api"]) {
      await expect.poll(() => headAt(path), PATIENCE).toBe(southHead);
    }
    expect((await get(`/v2/api?chainid=42&${HEAD}`)).result).toBe(southHead);
    expect((await get(`/v2/api?chainid=31337&${HEAD}`)).result).toBe(northHead);
    const spelt = await get("/v2/api/block/eth_block_number?chain_id=42");
    expect(spelt.result).toBe(southHead);
    for (const id of ["", "&chainid=", "&chainid=43", "&chainid=0x2a", "&chain_id=43"]) {
      expect((await get(`/v2/api?${HEAD}${id}`)).result).toContain(WRONG_CHAIN);
    }
    expect((await get(`/42/v2/api?chainid=31337&${HEAD}`)).result).toContain(WRONG_CHAIN);
    for (const path of ["/43/api", "/North/api", "/south/api", "/042/api"]) {
      expect((await fetch(`${url}${path}?${HEAD}`)).status).toBe(404);
    }
  });

  test("answer JSON-RPC, health, pages, metrics, documents and Sourcify's clients each for itself", async () => {
    const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}';
    const post = async (path: string) => {
      const headers = { "content-type": "application/json" };
      const answer = await fetch(url + path, { method: "POST", headers, body });
      return ((await answer.json()) as { result: string }).result;
    };
    expect(await post("/api/eth-rpc")).toBe("0x7a69");
    expect(await post("/south-sea/api/eth-rpc")).toBe("0x2a");
    expect(await post("/ots")).toBe("0x7a69");
    expect(await post("/south-sea/ots")).toBe("0x2a");

    // A block that is being indexed makes a chain fall behind for a moment.
    await expect
      .poll(() => get("/health"), PATIENCE)
      .toMatchObject({
        status: "ready",
        problems: [],
        chains: [
          { name: "North", chainId: 31_337 },
          { name: "South Sea", chainId: 42 },
        ],
      });
    await expect
      .poll(() => get("/42/health"), PATIENCE)
      .toMatchObject({ chainId: 42, status: "ready" });
    await expect.poll(() => get("/health/ready"), PATIENCE).toEqual({ status: "ready" });

    const list = await get("/v2/chainlist");
    expect(list).toMatchObject({
      totalcount: 2,
      result: [
        { chainid: "31337", blockexplorer: `${url}/31337/`, status: 1 },
        { chainid: "42", chainname: "South Sea", blockexplorer: `${url}/42/`, status: 1 },
      ],
    });
    for (const { blockexplorer, apiurl, chainid } of list.result) {
      expect((await fetch(blockexplorer)).headers.get("content-type")).toContain("text/html");
      expect((await get("pages/network.json", blockexplorer)).chainId).toBe(Number(chainid));
      expect((await get(`&module=stats&action=ethsupply`, apiurl)).status).toBe("1");
    }
    const moved = await fetch(`${url}/42`, { redirect: "manual" });
    expect([moved.status, moved.headers.get("location")]).toEqual([302, "42/"]);

    const page = await fetch(`${url}/`, { headers: { accept: "text/html" } });
    expect(page.url).toBe(`${url}/31337/`);
    expect(await page.text()).toContain("&quot;South Sea&quot;");

    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toMatch(/^periscope_head_block\{chain="31337"\} 1$/m);
    expect(metrics).toMatch(/^periscope_head_block\{chain="42"\} 2$/m);
    expect(metrics).toMatch(/^periscope_http_requests_total\{.*chain="42"/m);
    expect(metrics).toMatch(/^process_resident_memory_bytes \d+$/m);
    expect(metrics.match(/^# TYPE periscope_head_block /gm)).toHaveLength(1);

    expect(
      (await get("/openapi.json")).servers.map((server: { url: string }) => server.url),
    ).toEqual(["/", "/31337", "/42"]);
    expect(
      (await get("/sourcify/chains")).map(({ chainId }: { chainId: number }) => chainId),
    ).toEqual([31_337, 42]);
    const unverified = `/sourcify/v2/contract/42/0x${"12".repeat(20)}`;
    expect(await get(unverified)).toMatchObject({ chainId: "42", match: null });
  });

  test("keep their data apart", async () => {
    const balance = async (path: string) =>
      (await get(`${path}?module=account&action=balance&address=${TENTH_ACCOUNT}`)).result;
    expect(await balance("/north/api")).toBe("10000000000000000000000");
    expect(await balance("/42/api")).toBe("0");
  });
});

test("a file that cannot be used is refused whole on SIGHUP, and everything goes on", async () => {
  file.write([southChain(), { ...northChain(), TRACES: "nonsense" }]);
  first.process.kill("SIGHUP");
  await expect
    .poll(() => first.messages().join("\n"), PATIENCE)
    .toMatch(/labels and chains stay as they are: .*\n? *North: TRACES must be auto or off/);
  expect(await get(`/api?${HEAD}`)).toMatchObject({ result: await ask(north, "eth_blockNumber") });
});

test("a SIGHUP while the process still loads does not end it", async () => {
  file.write([northChain(), southChain()]);
  const hook = `import { registerHooks } from "node:module";
    registerHooks({ load: (url, context, next) => {
      if (url.endsWith("/src/app.ts")) process.kill(process.pid, "SIGHUP");
      return next(url, context);
    } });`;
  const options = `--import=data:text/javascript,${encodeURIComponent(hook)}`;
  const { periscope, url: origin } = await start({ NODE_OPTIONS: options });
  await expect.poll(() => headAt("/42/api", origin), PATIENCE).toBe(await headAt("/42/api"));
  expect(await periscope.end()).toBe(0);
});

test("on SIGHUP chains come and go, and no request of the others is dropped", async () => {
  const statuses = new Set<number>();
  let isOver = false;
  const asking = (async () => {
    while (!isOver) statuses.add((await fetch(`${url}/north/api?${HEAD}`)).status);
  })();
  file.write([southChain(), northChain(), chain(43, "East", other)]);
  first.process.kill("SIGHUP");
  const head = await mine(other);
  await expect.poll(() => headAt("/east/api"), PATIENCE).toBe(head);
  expect(await headAt("/api")).toBe(await ask(south, "eth_blockNumber"));

  file.write([northChain(), { ...southChain(), NETWORK_NAME: "Deep South" }]);
  first.process.kill("SIGHUP");
  await expect
    .poll(async () => (await fetch(`${url}/deep-south/api?${HEAD}`)).status, PATIENCE)
    .toBe(200);
  expect((await fetch(`${url}/43/api?${HEAD}`)).status).toBe(404);
  expect((await fetch(`${url}/south-sea/api?${HEAD}`)).status).toBe(404);
  await expect.poll(() => headAt("/deep-south/api"), PATIENCE).toBe(await mine(south));
  isOver = true;
  await asking;
  expect([...statuses]).toEqual([200]);
});

test("a chain whose node serves another one is stopped alone, and says so", async () => {
  file.write([northChain(), { ...southChain(), CHAIN_ID: 44, DATABASE_SCHEMA: "chain_44" }]);
  first.process.kill("SIGHUP");
  const reason = /the node serves chain 42, but (?:CHAIN_ID asks for|chain) 44/;
  await expect
    .poll(async () => (await get("/v2/chainlist")).result[1], PATIENCE)
    .toMatchObject({ chainid: "44", status: 0, comment: expect.stringMatching(reason) });
  expect((await get("/44/health")).problems[0]).toMatch(reason);
  expect((await get("/health")).problems[0]).toMatch(/^South Sea: stopped: /);
  const answer = await fetch(`${url}/44/api?${HEAD}`);
  expect([answer.status, ((await answer.json()) as { message: string }).message]).toEqual([
    503,
    expect.stringMatching(reason),
  ]);
  expect(first.messages().some((message) => reason.test(message))).toBe(true);
  await expect.poll(() => headAt("/api"), PATIENCE).toBe(await mine(north));
  expect((await fetch(`${url}/health/ready`)).status).toBe(200);

  file.write([northChain(), southChain()]);
  first.process.kill("SIGHUP");
  await expect.poll(async () => (await fetch(`${url}/42/api?${HEAD}`)).status, PATIENCE).toBe(200);
});

test.each([
  ["a node of another chain", () => ({ RPC_URL: north.url }), "the node serves chain 31337"],
  ["another first block", () => ({ START_BLOCK: 7 }), "begun with START_BLOCK=0"],
  ["another chain's tables", () => ({ DATABASE_SCHEMA: "chain_43" }), "holds chain 43"],
])("a chain whose new settings name %s goes on with the earlier ones", async (_, more, reason) => {
  const statuses = new Set<number>();
  let isOver = false;
  const asking = (async () => {
    while (!isOver) statuses.add((await fetch(`${url}/42/api?${HEAD}`)).status);
  })();
  file.write([northChain(), { ...southChain(), NETWORK_NAME: "Mistaken", ...more() }]);
  first.process.kill("SIGHUP");
  await expect
    .poll(() => first.messages().findLast((message) => message.includes(reason)), PATIENCE)
    .toContain("its new settings cannot be used, it goes on with the earlier ones: ");
  await expect.poll(() => headAt("/south-sea/api"), PATIENCE).toBe(await mine(south));
  isOver = true;
  await asking;
  expect([...statuses]).toEqual([200]);
  expect((await fetch(`${url}/mistaken/api?${HEAD}`)).status).toBe(404);
});

test("a chain that is removed while it starts never begins to index", async () => {
  const sessions = () => database.sql`
    SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  const taken = () =>
    first.messages().filter((message) => message.startsWith("the chains are now"));
  await database.sql.begin(async (migrating) => {
    await migrating`SELECT pg_advisory_xact_lock(7220415001)`;
    file.write([
      northChain(),
      southChain(),
      { ...chain(43, "Late", other), DATABASE_SCHEMA: "late" },
    ]);
    first.process.kill("SIGHUP");
    await expect.poll(async () => (await sessions()).count, PATIENCE).toBeGreaterThan(0);
    const before = taken().length;
    file.write([northChain(), southChain()]);
    first.process.kill("SIGHUP");
    await expect.poll(() => taken().length, PATIENCE).toBe(before + 1);
  });
  file.write([northChain(), southChain(), chain(43, "East", other)]);
  first.process.kill("SIGHUP");
  await expect.poll(() => headAt("/east/api"), PATIENCE).toBe(await mine(other));
  expect(await database.sql`SELECT * FROM late.sync_state`).toEqual([]);
});

test("what the database says of a failure is for the log alone", async () => {
  const role = `reader_${process.pid}`;
  await database.sql.unsafe(`CREATE ROLE ${role} LOGIN PASSWORD '${role}'`);
  const databaseUrl = new URL(database.url);
  databaseUrl.username = databaseUrl.password = role;
  file.write([{ ...northChain(), DATABASE_SCHEMA: "forbidden" }]);
  const { periscope, url: origin } = await start({ DATABASE_URL: databaseUrl.href });
  try {
    const told = "the database's user lacks a right";
    const list = () => get("/v2/chainlist", origin);
    await expect.poll(async () => (await list()).result[0].comment, PATIENCE).toContain(told);
    const paths = [
      "/v2/chainlist",
      "/health",
      "/health/ready",
      `/api?${HEAD}`,
      "/metrics",
      "/events",
    ];
    const answers = await Promise.all(
      paths.map(async (path) => (await fetch(origin + path)).text()),
    );
    expect(answers.filter((answer) => answer.includes(told))).toHaveLength(5);
    const names = [databaseUrl.host, databaseUrl.pathname.slice(1), role, "permission denied"];
    for (const name of names) expect(answers.join("\n")).not.toContain(name);
    const logged = periscope.messages().find((message) => message.startsWith("stopped: ")) ?? "";
    for (const name of names.toSpliced(2, 1)) expect(logged).toContain(name);
  } finally {
    await periscope.end();
    await database.sql.unsafe(`DROP ROLE ${role}`);
  }
  file.write([northChain(), southChain()]);
});

test("a second process on the same file takes each chain over", async () => {
  const second = await start();
  const standing = async () =>
    (await get("/metrics", second.url).catch(() => null)) ??
    (await (await fetch(`${second.url}/metrics`)).text());
  await expect.poll(standing, PATIENCE).toMatch(/periscope_head_block\{chain="42"\}/);
  await first.end("SIGKILL");
  const heads = [await mine(north), await mine(south)];
  await expect
    .poll(
      () => Promise.all([headAt("/31337/api", second.url), headAt("/42/api", second.url)]),
      PATIENCE,
    )
    .toEqual(heads);
  expect(await second.periscope.end()).toBe(0);
});
