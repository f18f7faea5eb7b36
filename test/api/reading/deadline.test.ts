import net from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createWaits, inTime } from "../../../src/api/reading/bounds.ts";
import type { Read } from "../../../src/api/reading/snapshot.ts";
import { sleep } from "../../../src/core/async.ts";
import { createSql, type Sql } from "../../../src/db/client.ts";
import type { JobStatus } from "../../../src/store/contracts/verification-jobs.ts";
import type { Verifier } from "../../../src/verification/verifier.ts";
import { createTestApp, type TestApp } from "../../support/app.ts";
import { addressAt } from "../../support/build.ts";
import { createTestDatabase } from "../../support/postgres.ts";

const TIMEOUT_MS = 6_000;

/** Takes connections and says nothing, as a machine that was suspended does. */
const silent = net.createServer();
let sql: Sql;
let server: TestApp;
beforeAll(async () => {
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const { port } = silent.address() as net.AddressInfo;
  sql = createSql(`postgres://nobody@127.0.0.1:${port}/nothing`);
  server = await createTestApp({
    sql,
    nodeUrl: `http://127.0.0.1:${port}`,
    requestTimeoutMs: TIMEOUT_MS,
  });
  await server.app.listen({ host: "127.0.0.1", port: 0 });
});
afterAll(async () => {
  await sql.end({ timeout: 0 });
  silent.close();
  await server.close();
});

async function ask(path: string, init?: RequestInit) {
  const response = await fetch(new URL(path, server.app.listeningOrigin), init);
  return { status: response.status, body: await response.json() };
}

describe("a database and a node that have stopped without a word", () => {
  const text = "Request timed out, please narrow the range or use smaller pages";
  const query = "module=block&action=eth_block_number";

  test("are told of in the explorer's envelope before the connection is cut", async () => {
    expect(await ask(`/api?${query}`)).toEqual({
      status: 503,
      body: { status: "0", message: text, result: null },
    });
    expect(await ask(`/v2/api?${query}`)).toEqual({
      status: 503,
      body: { status: "0", message: "NOTOK", result: text },
    });
  });

  test("are told of by the reports of health", async () => {
    const [report, ready, metrics] = await Promise.all([
      ask("/health"),
      ask("/health/ready"),
      fetch(new URL("/metrics", server.app.listeningOrigin)).then((response) => response.text()),
    ]);
    expect(report).toMatchObject({ status: 503, body: { database: { reachable: false } } });
    expect(ready).toMatchObject({
      body: { problems: ["the database does not answer; see its log"] },
    });
    expect(metrics).toMatch(/^periscope_database_up\{chain="31337"\} 0$/m);
  });

  test("are told of in each answer of a batch", async () => {
    const request = { jsonrpc: "2.0", params: [] };
    const batch = [
      { ...request, id: 1, method: "eth_blockNumber" },
      { ...request, id: 2, method: "eth_getBlockByNumber", params: ["latest", false] },
      { ...request, id: 3, method: "eth_chainId" },
    ];
    const { status, body } = await ask("/api/eth-rpc", {
      method: "POST",
      body: JSON.stringify(batch),
    });
    expect(status).toBe(200);
    expect(body).toEqual([
      { jsonrpc: "2.0", error: text, id: 1 },
      {
        jsonrpc: "2.0",
        error: { code: -32_000, message: "upstream node gave no answer within 5 s" },
        id: 2,
      },
      { jsonrpc: "2.0", result: "0x7a69", id: 3 },
    ]);
  });
});

test("what is waited for too long is named: the index while it is read, else the node", async () => {
  const never = new Promise<never>(() => {});
  const read: Read = () => never;
  const waits = createWaits();
  const outside = waits.watch(read);
  await expect(inTime(never, 10, waits.late)).rejects.toThrow("The node does not answer in time");
  void outside(async () => 1);
  await expect(inTime(never, 10, waits.late)).rejects.toThrow("Request timed out");
});

test("a search of any number of statements ends with the answer that nobody waits for", async () => {
  const { sql, drop } = await createTestDatabase();
  const read: Read = (query) => query(sql, new Promise<never>(() => {}));
  const waits = createWaits();
  const search = waits.watch(read)(async (own) => {
    for (;;) await sleep(1).then(() => own`SELECT 1`);
  });
  await expect(inTime(search, 10, waits.late)).rejects.toThrow("Request timed out");
  await expect(search).rejects.toThrow("Request timed out");
  await drop();
});

test("an answer does not wait for the end of a verification beyond its own time", async () => {
  const status: JobStatus = {
    address: addressAt(1),
    state: "pending",
    failure: null,
    reason: null,
    createdAtSeconds: 1,
    finishedAtSeconds: null,
  };
  const verifier: Pick<Verifier, "wait"> = {
    wait: async (_guid, timeoutMs) => {
      await sleep(timeoutMs);
      return status;
    },
  };
  const app = await createTestApp({ verifier: verifier as Verifier, requestTimeoutMs: 1_000 });
  const query = { module: "contract", action: "checkverifystatus", guid: "0".repeat(56) };
  const answer = await app.app.inject({ url: "/api", query });
  expect(answer.json()).toMatchObject({ status: "1", result: "Pending in queue" });
  await app.close();
});
