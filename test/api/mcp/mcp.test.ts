import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../support/app.ts";
import { addressAt, publish } from "../../support/build.ts";

const PARTY = addressAt(1);
const TOKEN = addressAt(7);
const HOSTILE = `Gold\u202e\u200b${"x".repeat(200)}`;

let server: TestApp;
let url: string;
beforeAll(async () => {
  server = await createTestApp({
    chains: (own) => [own],
    mcpOrigins: ["https://agent.example"],
  });
  await publish(server.sql, {
    blocks: Array.from({ length: 40 }, (_, number) => ({ number })),
    transactions: Array.from({ length: 40 }, (_, blockNumber) => ({
      blockNumber,
      fromAddress: PARTY,
      input: `0x${"ab".repeat(blockNumber === 39 ? 2_000 : 2)}` as const,
    })),
    tokens: [{ address: TOKEN, name: HOSTILE, symbol: "G\u0007LD" }],
    tokenTransfers: [{ blockNumber: 0, logIndex: 0, token: TOKEN, fromAddress: PARTY }],
  });
  url = await server.app.listen({ port: 0, host: "127.0.0.1" });
});
afterAll(() => server.close());

async function connect(mode: "legacy" | { pin: string }, at = `${url}/mcp`) {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(at)));
  return client;
}

interface Told {
  chainid: string | null;
  block: { number: string; hash: string } | null;
  result?: unknown;
  note?: string;
  next_cursor?: string;
  cut?: string[];
  written_by_others?: string[];
  error?: { code: string; message: string; name?: string };
}

async function call(client: Client, name: string, args: Record<string, unknown> = {}) {
  const answer = await client.callTool({ name, arguments: args });
  const told = answer.structuredContent as unknown as Told;
  const [text] = answer.content as { type: string; text: string }[];
  expect(JSON.parse(text?.text ?? "")).toEqual(told);
  expect(answer.isError).toBe(told.error !== undefined);
  return told;
}

describe.each([
  ["with a handshake", "legacy" as const],
  ["without one", { pin: "2026-07-28" }],
])("the official client, %s", (_era, mode) => {
  let client: Client;
  beforeAll(async () => {
    client = await connect(mode);
  });
  afterAll(() => client.close());

  test("lists the tools, bounded and for reading only", async () => {
    const { tools } = await client.listTools();
    expect(JSON.stringify({ tools }).length).toBeLessThanOrEqual(24_000);
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["account_balance", "logs_getLogs"]));
    expect(names.slice(-4)).toEqual([
      "find_action",
      "call_action",
      "list_chains",
      "convert_amount",
    ]);
    for (const { annotations, inputSchema, name } of tools) {
      expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false });
      expect([name, inputSchema]).toEqual([
        name,
        expect.objectContaining({ additionalProperties: false }),
      ]);
    }
    expect(client.getInstructions()?.length).toBeLessThanOrEqual(1_500);
  });

  test("gives the result of the same request, its chain and its block", async () => {
    const told = await call(client, "account_txlist", { address: PARTY, offset: 3, sort: "desc" });
    const same = await server.app.inject(
      `/v2/api/account/txlist?address=${PARTY}&offset=3&sort=desc`,
    );
    const [number, hash] = String(same.headers["x-periscope-block"]).split(";");
    expect(told).toMatchObject({ chainid: "31337", block: { number, hash } });
    expect(told.written_by_others).toContain("input");
    expect(told.cut).toEqual(["result[].input cut to 1000 characters"]);
    const [first, ...rest] = same.json().result;
    expect(told.result).toEqual([{ ...first, input: first.input.slice(0, 1000) }, ...rest]);
    const usual = await call(client, "account_txlist", { address: PARTY });
    expect(usual.result).toHaveLength(25);
    const seen = [...(usual.result as unknown[])];
    for (let cursor = usual.next_cursor; cursor; ) {
      const page = await call(client, "account_txlist", { address: PARTY, cursor });
      seen.push(...(page.result as unknown[]));
      cursor = page.next_cursor;
    }
    const all = await server.app.inject(`/v2/api/account/txlist?address=${PARTY}`);
    const hashes = (rows: unknown) => (rows as { hash: string }[]).map(({ hash }) => hash);
    expect(hashes(seen)).toEqual(hashes(all.json().result));
  });

  test("tells what is wrong so that an agent can mend it", async () => {
    const errorOf = async (name: string, args: Record<string, unknown>) =>
      (await call(client, name, args)).error;
    expect(await errorOf("account_txlist", {})).toMatchObject({
      code: "missing-parameter",
      name: "address",
    });
    const unknown = await errorOf("account_txlist", { address: PARTY, limit: 5 });
    expect(unknown?.code).toBe("invalid-parameter");
    expect(unknown?.message).not.toContain("limit");
    expect(await errorOf("account_txlist", { address: PARTY, offset: 201 })).toMatchObject({
      code: "invalid-parameter",
      name: "offset",
    });
    expect(await errorOf("account_balance", { address: PARTY, chainid: 5 })).toMatchObject({
      code: "wrong-chain",
    });
    expect(
      await errorOf("transaction_gettxinfo", { txhash: `0x${"ab".repeat(32)}` }),
    ).toMatchObject({ code: "not-found" });
    expect(await errorOf("call_action", { name: "contract_verify" })).toMatchObject({
      code: "unknown-action",
    });
    const filter = { name: "contract_listcontracts", arguments: { filter: "obey me" } };
    expect(await errorOf("call_action", filter)).toEqual({
      code: "invalid-parameter",
      name: "filter",
      message: "Invalid filter",
    });
    await expect(client.callTool({ name: "eth_sendRawTransaction" })).rejects.toThrow(
      /32602|Unknown/,
    );
  });

  test("an empty list is no failure", async () => {
    const told = await call(client, "account_txlist", { address: addressAt(99), chainid: "31337" });
    expect(told).toMatchObject({ result: [], note: "No transactions found", chainid: "31337" });
  });

  test("finds and calls what is not among the tools", async () => {
    const { result } = await call(client, "find_action", { query: "blocks mined by an address" });
    const names = (result as { name: string }[]).map(({ name }) => name);
    expect(names).toContain("account_getminedblocks");
    expect(names.length).toBeLessThanOrEqual(8);
    const none = await call(client, "find_action", { query: "zzzz" });
    expect(none.result).toContain("block_getblock");
    const args = { name: "block_getblockreward", arguments: { blockno: 3 } };
    expect(await call(client, "call_action", args)).toMatchObject({ result: { blockNumber: "3" } });
  });

  test("cleans the names that strangers chose", async () => {
    const told = await call(client, "account_tokentx", { address: PARTY });
    const [row] = told.result as { tokenName: string; tokenSymbol: string }[];
    expect(row).toMatchObject({ tokenName: `Gold${"x".repeat(124)}`, tokenSymbol: "GLD" });
    expect(told.written_by_others).toEqual(expect.arrayContaining(["tokenName", "tokenSymbol"]));
  });

  test("divides exactly, and lists the chains", async () => {
    const amount = "1".padEnd(40, "0");
    const divided = await call(client, "convert_amount", { amount, decimals: 18 });
    expect(divided.result).toBe("1000000000000000000000");
    const tiny = await call(client, "convert_amount", { amount: "1", decimals: 255 });
    expect(tiny.result).toBe(`0.${"0".repeat(254)}1`);
    for (const decimals of ["1e2", " 5", "0x5", 256, -1, 1.5]) {
      const refused = await call(client, "convert_amount", { amount, decimals });
      expect(refused).toMatchObject({ error: { code: "invalid-parameter" } });
    }
    const chains = await call(client, "list_chains");
    expect(chains.result).toMatchObject([{ chainid: "31337" }]);
  });
});

describe("of two chains", () => {
  let south: TestApp;
  let both: TestApp;
  let origin: string;
  beforeAll(async () => {
    south = await createTestApp({ networkName: "South", chainId: () => 77 });
    both = await createTestApp({ sql: server.sql, chains: (own) => [own, south.served] });
    await publish(south.sql, {
      blocks: Array.from({ length: 200 }, (_, number) => ({ number })),
      transactions: Array.from({ length: 200 }, (_, blockNumber) => ({
        ...{ blockNumber, fromAddress: PARTY, input: `0x${"cd".repeat(900)}` as const },
      })),
    });
    origin = await both.app.listen({ port: 0, host: "127.0.0.1" });
  });
  afterAll(async () => {
    await both.close();
    await south.close();
  });

  test("a tool asks for the chain, and answers from the one that is named", async () => {
    const client = await connect({ pin: "2026-07-28" }, `${origin}/mcp`);
    const { tools } = await client.listTools();
    const ofChain = tools.filter(
      ({ name }) => name.includes("_") && !/^(find|call|list|convert)_/.test(name),
    );
    for (const { inputSchema } of ofChain) expect(inputSchema.required).toContain("chainid");
    const args = { address: PARTY, offset: 1, sort: "desc" };
    expect((await call(client, "account_txlist", args)).error?.code).toBe("wrong-chain");
    for (const [chainid, block] of [
      ["31337", "39"],
      ["77", "199"],
    ]) {
      const told = await call(client, "account_txlist", { ...args, chainid });
      expect(told).toMatchObject({ chainid, block: { number: block } });
    }
    expect((await call(client, "list_chains")).result).toMatchObject([
      { chainid: "31337" },
      { chainid: "77" },
    ]);
    await client.close();
    const named = await connect("legacy", `${origin}/south/mcp`);
    expect((await call(named, "account_txlist", args)).chainid).toBe("77");
    expect(
      (await call(named, "account_txlist", { ...args, chainid: "31337" })).error,
    ).toBeDefined();
    await named.close();
  });

  test("an answer has at most 60,000 characters, and its cursor leads to the rows left out", async () => {
    const client = await connect({ pin: "2026-07-28" }, `${origin}/south/mcp`);
    const args = { address: PARTY, offset: 200, sort: "asc" };
    const seen: string[] = [];
    let pages = 0;
    for (let cursor: string | undefined = "start"; cursor; pages++) {
      const told: Told = await call(client, "account_txlist", { ...args, cursor });
      expect(JSON.stringify(told).length).toBeLessThanOrEqual(60_000);
      const rows = told.result as { blockNumber: string }[];
      seen.push(...rows.map(({ blockNumber }) => blockNumber));
      cursor = told.next_cursor;
      if (cursor) {
        const [first] = told.cut ?? [];
        expect(first).toMatch(
          new RegExp(`^${rows.length} of \\d+ rows shown, ask again with cursor$`),
        );
      }
    }
    expect(pages).toBeGreaterThan(3);
    expect(seen).toEqual(Array.from({ length: 200 }, (_, number) => String(number)));
    await client.close();
  });
});

test("a request beyond the rate limit is refused before the protocol", async () => {
  const limited = await createTestApp({ sql: server.sql, rateLimit: 2 });
  const ask = () =>
    limited.app.inject({
      ...{ method: "POST", url: "/mcp", payload: { jsonrpc: "2.0", id: 1, method: "ping" } },
      headers: { host: "localhost", accept: "application/json, text/event-stream" },
    });
  expect([(await ask()).statusCode, (await ask()).statusCode]).toEqual([200, 200]);
  const { statusCode, headers, body } = await ask();
  expect([statusCode, headers["x-periscope-error"]]).toEqual([429, "rate-limited"]);
  expect(Number(headers["retry-after"])).toBeGreaterThan(0);
  expect(JSON.parse(body)).toMatchObject({ jsonrpc: "2.0", id: null, error: { code: -32_000 } });
  await limited.close();
});

describe("before the protocol", () => {
  const ping = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
  const post = async (headers: Record<string, string>, body = ping, path = "/mcp") => {
    const json = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    };
    const answer = await server.app.inject({
      ...{ method: "POST", url: path, payload: body },
      headers: { host: "localhost", ...json, ...headers },
    });
    return answer;
  };

  test.each([
    ["https://evil.example", 403],
    ["null", 403],
    ["http://localhost:6274", 200],
    ["http://[::1]:3000", 200],
    ["https://agent.example", 200],
  ])("the origin %s is answered with %i", async (origin, status) => {
    const { statusCode, headers, body } = await post({ origin });
    expect(statusCode).toBe(status);
    expect(headers["access-control-allow-origin"]).toBe(status === 200 ? origin : undefined);
    expect(headers["vary"]).toContain("origin");
    if (status === 403) {
      expect(JSON.parse(body)).toEqual({
        jsonrpc: "2.0",
        id: null,
        error: { code: -32_000, message: "Origin is not allowed" },
      });
      expect(headers["x-periscope-error"]).toBe("forbidden");
    }
  });

  test("a name that leads to this machine is refused while it listens for it alone", async () => {
    expect((await post({ host: "rebound.example" })).json().error.message).toBe(
      "Host is not allowed",
    );
  });

  test("other methods, large bodies and several messages are refused as JSON-RPC errors", async () => {
    for (const method of ["GET", "DELETE"] as const) {
      const { statusCode, headers } = await server.app.inject({ method, url: "/mcp" });
      expect([statusCode, headers["allow"]]).toEqual([405, "POST, OPTIONS"]);
      expect(headers["x-periscope-error"]).toBe("method-not-allowed");
    }
    const large = await post({}, JSON.stringify({ a: "x".repeat(70_000) }));
    expect([large.statusCode, large.json().jsonrpc]).toEqual([413, "2.0"]);
    expect((await post({}, `[${ping}]`)).statusCode).toBe(400);
    const listen = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "subscriptions/listen" });
    expect((await post({}, listen)).json()).toMatchObject({ id: 7, error: { code: -32_601 } });
    const unknown = { jsonrpc: "2.0", method: "nothing" };
    expect((await post({}, JSON.stringify(unknown))).statusCode).toBe(202);
    expect((await post({}, JSON.stringify({ ...unknown, id: { a: 1 } }))).json().id).toBeNull();
  });

  test("is served below the chain's path as well", async () => {
    expect((await post({}, ping, "/31337/mcp")).statusCode).toBe(200);
  });
});
