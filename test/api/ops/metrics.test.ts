import pino from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createOperationsServer } from "../../../src/api/serving/server.ts";
import { writeIndexerStatus } from "../../../src/store/sync-state.ts";
import { createMetrics, type Metrics } from "../../../src/telemetry/metrics.ts";
import { createProcessMetrics } from "../../../src/telemetry/process-metrics.ts";
import { createTestApp, type TestApp } from "../../support/app.ts";
import { publish } from "../../support/build.ts";
import { type ScriptedNode, startScriptedNode } from "../../support/scripted-node.ts";

let node: ScriptedNode;
let server: TestApp;
let indexer: Metrics;

beforeAll(async () => {
  indexer = createMetrics("indexer");
  let counted = await indexer.registry.getMetricsAsJSON();
  node = await startScriptedNode();
  server = await createTestApp({ nodeUrl: node.url, countedElsewhere: () => counted });
  indexer.publishedBlocks.inc(7);
  indexer.rpcRequests.inc({ method: "eth_call", outcome: "ok" });
  counted = structuredClone(await indexer.registry.getMetricsAsJSON());
});
afterAll(async () => {
  await server.close();
  await node.stop();
});

/** Lines of the metrics whose names begin so, without the label that all have. */
async function scrape(prefix: string): Promise<string[]> {
  const { body } = await server.app.inject("/metrics");
  const lines = body.replaceAll(/\{chain="31337"\}|,?chain="31337"/g, "").split("\n");
  return lines.filter((line) => line.startsWith(prefix));
}

test("is text in the format of Prometheus, with the process's own metrics", async () => {
  const answer = await server.app.inject("/metrics");
  expect(answer.statusCode).toBe(200);
  expect(answer.headers["content-type"]).toMatch(/^text\/plain; version=0\.0\.4/);
  expect(answer.body).toMatch(/^process_resident_memory_bytes\{chain="31337"\} \d+$/m);
  expect(answer.body).toMatch(
    /^periscope_info\{version="0\.0\.0-test",commit="(?:c0){20}",chain="31337"\} 1$/m,
  );
});

test("leaves out what is not known before the first block", async () => {
  expect(await scrape("periscope_database_up")).toEqual(["periscope_database_up 1"]);
  expect(await scrape("periscope_ready")).toEqual(["periscope_ready 0"]);
  expect(await scrape("periscope_head_block")).toEqual([]);
  expect(await scrape("periscope_lag_blocks")).toEqual([]);
});

test("tells head, lag, gaps and what the indexer does", async () => {
  await publish(server.sql, {
    blocks: [{ number: 0 }, { number: 1 }],
    dailyStatistics: [{ day: "2025-07-01", blockCount: 2 }],
  });
  await writeIndexerStatus(server.sql, {
    phase: "following",
    nodeHead: 4,
    pending: { coins: 3, holdings: 0, tokens: 1 },
    tokens: { marked: { supply: 2, audit: 1 }, stale: 4, oldestSeconds: 9 },
  });
  expect(await scrape("periscope_head_block")).toEqual(["periscope_head_block 1"]);
  expect(await scrape("periscope_node_head_block")).toEqual(["periscope_node_head_block 4"]);
  expect(await scrape("periscope_lag_blocks")).toEqual(["periscope_lag_blocks 3"]);
  expect(await scrape("periscope_gap_blocks")).toEqual(["periscope_gap_blocks 0"]);
  expect(await scrape("periscope_ready")).toEqual(["periscope_ready 1"]);
  expect(await scrape("periscope_indexer_phase")).toEqual([
    'periscope_indexer_phase{phase="following"} 1',
  ]);
  expect((await scrape("periscope_marked_tokens")).sort()).toEqual([
    'periscope_marked_tokens{reason="audit"} 1',
    'periscope_marked_tokens{reason="supply"} 2',
  ]);
  expect(await scrape("periscope_stale_tokens")).toEqual([
    "periscope_stale_tokens 4",
    "periscope_stale_tokens_age_seconds 9",
  ]);
  expect(await scrape("periscope_pending_state")).toContain(
    'periscope_pending_state{kind="coins"} 3',
  );
});

test("adds up what the threads of the process have counted", async () => {
  expect(await scrape("periscope_published_blocks_total")).toEqual([
    "periscope_published_blocks_total 7",
  ]);
  expect(await scrape("periscope_rpc_requests_total")).toEqual([
    'periscope_rpc_requests_total{method="eth_call",outcome="ok"} 1',
  ]);
  expect(await scrape("periscope_event_loop_active_seconds_total")).toHaveLength(2);
});

test("counts requests by the registry's names and never by what a request says", async () => {
  await server.app.inject("/api?module=BLOCK&action=Eth_Block_Number");
  await server.app.inject("/api?module=secret-module&action=secret-action");
  await server.app.inject("/secret-path?apikey=secret-key");
  const requests = await scrape("periscope_http_requests_total");
  expect(requests).toContain(
    'periscope_http_requests_total{module="block",action="eth_block_number",status="200"} 1',
  );
  expect(requests).toContain(
    'periscope_http_requests_total{module="none",action="/api",status="400"} 1',
  );
  expect(requests).toContain(
    'periscope_http_requests_total{module="none",action="none",status="404"} 1',
  );
  const durations = await scrape("periscope_http_request_duration_seconds_count");
  expect(durations.length).toBeGreaterThan(0);
  const { body } = await server.app.inject("/metrics");
  expect(body).not.toContain("secret");
});

test("follows the rules of names: a total is a counter, and a counter a total", async () => {
  const { body } = await server.app.inject("/metrics");
  const types = [...body.matchAll(/^# TYPE (\w+) (\w+)$/gm)];
  expect(types.length).toBeGreaterThan(20);
  for (const [, name = "", type] of types) {
    expect([name, name.endsWith("_total")]).toEqual([name, type === "counter"]);
  }
});

test("names the chain in every sample once it is known", async () => {
  const { body } = await server.app.inject("/metrics");
  const values = body.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  expect(values.length).toBeGreaterThan(50);
  expect(values.filter((line) => !line.includes('chain="31337"'))).toEqual([]);
});

test("is told by a server of its own when operations are apart", async () => {
  const apart = await createTestApp({ operationsApart: true });
  const operations = createOperationsServer({
    ...{ chains: () => [apart.served], log: pino({ level: "silent" }), version: "1", commit: null },
    ...{ requestTimeoutMs: 1000, trustedProxies: [], metrics: createProcessMetrics() },
  });
  expect((await apart.app.inject("/metrics")).statusCode).toBe(404);
  expect((await operations.inject("/metrics")).statusCode).toBe(200);
  const [told, whole] = await Promise.all(
    [apart.app, operations].map(async (app) => (await app.inject("/health")).json()),
  );
  expect(whole).toMatchObject({ nodes: [{ node: "node 1" }], database: { reachable: true } });
  expect(Object.keys(told)).not.toEqual(expect.arrayContaining(["nodes"]));
  expect(whole).toMatchObject({ ...told, version: "1", commit: null });
  for (const path of ["/health/live", "/health/ready"]) {
    expect((await apart.app.inject(path)).body).toBe((await operations.inject(path)).body);
  }
  await operations.close();
  await apart.close();
});

test("tells the rest while the table of verifications is locked or missing", async () => {
  const app = await createTestApp();
  await publish(app.sql, { blocks: [{ number: 0 }] });
  const head = async () => {
    const { body } = await app.app.inject("/metrics");
    return /^periscope_head_block\{.*\} (\d+)$/m.exec(body)?.[1];
  };
  await app.sql.begin(async (blocker) => {
    await blocker`LOCK TABLE verification_jobs IN ACCESS EXCLUSIVE MODE`;
    expect(await head()).toBe("0");
  });
  await app.sql`ALTER TABLE verification_jobs RENAME TO away`;
  expect(await head()).toBe("0");
  await app.close();
});
