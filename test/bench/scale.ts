import path from "node:path";
import { createSql, type Sql } from "../../src/db/client.ts";
import { migrate } from "../../src/db/migrate.ts";
import { type Cluster, startCluster, urlOf } from "../scale/cluster.ts";
import { spreadDatabase } from "../scale/world.ts";
import { inTurns } from "./api/answers.ts";
import { fillDatabase } from "./api/fill.ts";
import { chooseQuestions, pathOf } from "./api/requests.ts";
import { untilServed } from "./api/stage.ts";
import type { Bench } from "./bench.ts";
import { chainShape } from "./chain/shape.ts";
import { type BenchChain, startChain } from "./chain/start.ts";
import { measureBlocks } from "./head-latency.ts";
import { type HttpClient, openHttpClient } from "./measure/http-client.ts";
import { startProduct } from "./measure/product.ts";
import { median } from "./measure/statistics.ts";

const BLOCKS = { full: 1_000, quick: 40 };
const SIZES = {
  full: { rounds: 10, perRound: 20, heads: 40 },
  quick: { rounds: 2, perRound: 5, heads: 3 },
};
/** As many as the workers, and four times as many. */
const SHARDS = [3, 12];
/** Commits wait for the disk as they do for users. */
const SETTINGS = `
fsync = on
wal_writer_delay = '200ms'
shared_buffers = '512MB'
random_page_cost = 1.1
`;
const POLL_INTERVAL_MS = 50;

interface Place {
  name: string;
  sql: Sql;
  url: string;
}

/**
 * Measures the answers of a cluster beside those of one server of the same PostgreSQL, and how soon its heads are served.
 * Needs Citus, see docs/operations/scale.md. All servers are on this machine.
 */
export async function benchScale(bench: Bench, blocks: number | undefined): Promise<void> {
  const kind = bench.quick ? "quick" : "full";
  const head = blocks ?? BLOCKS[kind];
  const shape = chainShape({ head, servedFrom: head + 1 });
  const cluster = await startCluster(SETTINGS);
  const chain = await startChain(shape);
  const places: Place[] = [];
  try {
    for (const shards of [1, ...SHARDS]) {
      const name = shards === 1 ? "one server" : `${shards} shards`;
      bench.say(`filling ${name}`);
      const database = `shards_${shards}`;
      const sql = await (shards === 1 ? oneServer : spread)(cluster, database, shards);
      places.push({ name, sql, url: urlOf(cluster.coordinator, database) });
      await fillDatabase(sql, shape);
    }
    await comparePlaces(bench, chain, head, places, SIZES[kind]);
    await compareHeads(bench, chain, places, SIZES[kind].heads);
  } finally {
    await Promise.all(places.map(({ sql }) => sql.end({ timeout: 1 })));
    await chain.stop();
    await cluster.stop();
  }
}

async function oneServer(cluster: Cluster, name: string): Promise<Sql> {
  await onCoordinator(cluster, `CREATE DATABASE ${name}`);
  const sql = createSql(urlOf(cluster.coordinator, name), { connections: 4 });
  await migrate(sql);
  return sql;
}

/** A database whose tables have so many shards. */
async function spread(cluster: Cluster, name: string, shards: number): Promise<Sql> {
  await onCoordinator(cluster, `ALTER SYSTEM SET citus.shard_count = ${shards}`);
  await onCoordinator(cluster, "SELECT pg_reload_conf()");
  return spreadDatabase(cluster, name);
}

async function onCoordinator(cluster: Cluster, statement: string): Promise<void> {
  const sql = createSql(urlOf(cluster.coordinator, "postgres"), { connections: 1 });
  await sql.unsafe(statement);
  await sql.end();
}

/** Periscope on a place, and a connection to it. */
async function serve(
  bench: Bench,
  chain: BenchChain,
  { name, url }: Place,
): Promise<{ client: HttpClient; stop(): Promise<void> }> {
  const product = await startProduct({
    logFile: path.join(bench.folder, "periscope.log"),
    settings: {
      RPC_URL: chain.url,
      DATABASE_URL: url,
      DATA_DIR: path.join(bench.folder, name),
      FINALITY_DEPTH: "0",
      POLL_INTERVAL_MS: String(POLL_INTERVAL_MS),
    },
  });
  const client = await openHttpClient(product.url);
  return {
    client,
    stop: () => {
      client.close();
      return product.stop();
    },
  };
}

async function comparePlaces(
  bench: Bench,
  chain: BenchChain,
  head: number,
  places: readonly Place[],
  sizes: { rounds: number; perRound: number },
): Promise<void> {
  const [one] = places as [Place];
  const { hot, pages } = await chooseQuestions(one.sql);
  const far = hot
    .filter(({ parameters }) => parameters.action === "getLogs")
    .map(({ name, parameters }) => ({
      name: `${name}, 100th page`,
      parameters: { ...parameters, page: "100" },
    }));
  const questions = [...hot, ...far, { ...pages.ordinary, name: "txlist of an ordinary address" }];
  const served = [];
  const rows = [];
  try {
    for (const place of places) {
      const server = await serve(bench, chain, place);
      served.push(server);
      // At once: a connection that asks for nothing is closed before the last of them stands.
      await untilServed(server.client, head);
    }
    for (const question of questions) {
      bench.say(`asking for ${question.name}`);
      const ask = (client: HttpClient) => () => client.get(pathOf(question));
      const latencies = await inTurns(
        sizes,
        served.map(({ client }) => ask(client)),
      );
      const medians = latencies.map((latency) => latency.median);
      const [alone = 0] = medians;
      rows.push({
        name: question.name,
        values: medians.flatMap((value, index) => (index === 0 ? [value] : [value, value / alone])),
      });
    }
  } finally {
    for (const { stop } of served) await stop();
  }
  bench.report({
    title: "Answers of several servers beside those of one, medians",
    columns: places.flatMap(({ name }, index) => [
      { name, unit: "ms" },
      ...(index === 0 ? [] : [{ name: "multiple", unit: "", goal: "at most 3" }]),
    ]),
    rows,
  });
}

/** Only one place is served at a time: each would index the blocks. */
async function compareHeads(
  bench: Bench,
  chain: BenchChain,
  places: readonly Place[],
  blocks: number,
): Promise<void> {
  const rows = [];
  for (const place of places) {
    bench.say(`measuring the head's latency, ${place.name}`);
    const { client, stop } = await serve(bench, chain, place);
    try {
      rows.push({ name: place.name, values: [median(await measureBlocks(chain, client, blocks))] });
    } finally {
      await stop();
    }
  }
  bench.report({
    title: "From a block at the node to the block in the API of several servers",
    columns: [{ name: "median", unit: "ms", goal: "below 250" }],
    rows,
  });
}
