import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { appendFile, chown, mkdir, mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { sleep } from "../../src/core/async.ts";
import { createSql } from "../../src/db/client.ts";
import { ordinaryUser } from "../../src/db/embedded/binaries.ts";
import { type Child, type OsUser, startChild } from "../../src/process/child.ts";
import { freePort } from "../../src/process/free-port.ts";

const WORKERS = 3;
const PATIENCE_MS = 60_000;
const STOP_PATIENCE_MS = 10_000;
const MISSING = `Citus is not installed beside PostgreSQL here. Packages of both are at https://docs.citusdata.com;
PG_CONFIG names the pg_config of that PostgreSQL when another one is on the PATH.`;

/** One server of a cluster. */
export interface ClusterServer {
  port: number;
  start(): Promise<void>;
  /** Ends it as a loss of power would: nothing is finished, and the next start recovers. */
  crash(): Promise<void>;
}

/** A coordinator and its workers on loopback. Each server has a superuser `postgres` without a password. */
export interface Cluster {
  coordinator: ClusterServer;
  workers: readonly ClusterServer[];
  /** Makes databases of this name, one on each server, a cluster. The coordinator reaches workers by `portOf`. */
  join(database: string, portOf?: PortOf): Promise<void>;
  /** Starts one more worker, and adds it to the cluster of the database `postgres`. Nothing is moved to it. */
  add(): Promise<ClusterServer>;
  /** Starts one more server, which follows this one by streaming replication. */
  follow(leader: ClusterServer): Promise<ClusterServer>;
  /** Copies all servers as they run; their WAL is archived from the start. */
  backUp(): Promise<Backup>;
  stop(): Promise<void>;
}

/** Copies of all servers of a cluster. */
interface Backup {
  /** Starts servers that are as those of before were at a restore point. Those of before must be off. */
  restore(point: string): Promise<Pick<Cluster, "coordinator" | "stop">>;
}

/** By which port of loopback a worker is reached; its own as a rule. */
export type PortOf = (worker: ClusterServer) => number;

/** The URL of a database on a server of a cluster. */
export function urlOf({ port }: Pick<ClusterServer, "port">, database: string): string {
  return `postgres://postgres@127.0.0.1:${port}/${database}`;
}

/**
 * Starts a new cluster in a folder of its own; `settings` are lines for `postgresql.conf`. Throws when Citus is not
 * installed.
 */
export async function startCluster(settings = ""): Promise<Cluster> {
  const binaries = findBinaries();
  const folder = await mkdtemp(path.join(os.tmpdir(), "periscope-cluster-"));
  const user = await ordinaryUser(folder);
  if (user) await chown(folder, user.uid, user.gid);
  const start = async (index: number) => {
    const data = path.join(folder, String(index));
    const server = await createServer(binaries, data, await freePort(), user, settings);
    await server.start();
    return server;
  };
  const servers: ClusterServer[] = await Promise.all(
    Array.from({ length: WORKERS + 1 }, (_, index) => start(index)),
  );
  const [coordinator, ...workers] = servers as [ClusterServer, ...ClusterServer[]];
  return {
    coordinator,
    workers,
    join: (database, portOf = ({ port }) => port) => join(coordinator, workers, database, portOf),
    add: async () => {
      const server = await start(servers.length);
      servers.push(server);
      await createDatabase(server, "postgres");
      const sql = createSql(urlOf(coordinator, "postgres"), { connections: 1 });
      await sql`SELECT citus_add_node('127.0.0.1', ${server.port})`;
      await sql.end();
      return server;
    },
    follow: async (leader) => {
      const data = path.join(folder, String(servers.length));
      const server = await followServer(binaries, data, await freePort(), user, leader);
      servers.push(server);
      await server.start();
      return server;
    },
    backUp: async () => {
      await Promise.all(
        servers.map(({ port }, index) =>
          copyServer(binaries, `${path.join(folder, String(index))}.copy`, user, port),
        ),
      );
      return { restore: (point) => restoreServers(binaries, folder, servers, user, point) };
    },
    stop: async () => {
      await Promise.all(servers.map((server) => server.crash()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The folder of PostgreSQL's programs. Throws when Citus is not installed beside it. */
export function findBinaries(): string {
  const config = process.env["PG_CONFIG"] ?? "pg_config";
  const ask = (what: string) => execFileSync(config, [what], { encoding: "utf8" }).trim();
  try {
    if (existsSync(path.join(ask("--sharedir"), "extension", "citus.control")))
      return ask("--bindir");
  } catch (error) {
    throw new Error(MISSING, { cause: error });
  }
  throw new Error(MISSING);
}

async function createFolder(data: string, user: OsUser | undefined): Promise<void> {
  await mkdir(data, { mode: 0o700 });
  if (user) await chown(data, user.uid, user.gid);
}

async function createServer(
  binaries: string,
  data: string,
  port: number,
  user: OsUser | undefined,
  settings: string,
): Promise<ClusterServer> {
  await createFolder(data, user);
  execFileSync(
    path.join(binaries, "initdb"),
    ["-D", data, "-A", "trust", "-U", "postgres", "--locale=C.UTF-8", "-E", "UTF8", "--no-sync"],
    { ...user, cwd: data, stdio: "ignore" },
  );
  await appendFile(
    path.join(data, "postgresql.conf"),
    `port = ${port}
listen_addresses = '127.0.0.1'
unix_socket_directories = '${data}'
shared_preload_libraries = 'citus'
shared_buffers = '128MB'
max_connections = 300
max_prepared_transactions = 400
max_worker_processes = 24
wal_level = logical
fsync = off
# What no commit waited for is lost with a crash.
wal_writer_delay = '10s'
jit = off
citus.max_cached_conns_per_worker = 12
citus.shard_count = 6
citus.enable_statistics_collection = off
citus.node_conninfo = 'sslmode=disable keepalives_idle=5 keepalives_interval=1 keepalives_count=5 tcp_user_timeout=10000'
citus.select_opens_transaction_block = off
archive_mode = on
archive_command = 'mkdir -p ${data}.wal && cp %p ${data}.wal/%f'
${settings}`,
  );
  return serverIn(data, binaries, port, user);
}

async function followServer(
  binaries: string,
  data: string,
  port: number,
  user: OsUser | undefined,
  leader: ClusterServer,
): Promise<ClusterServer> {
  await copyServer(binaries, data, user, leader.port, "--write-recovery-conf");
  await appendFile(
    path.join(data, "postgresql.conf"),
    `port = ${port}\nunix_socket_directories = '${data}'\n`,
  );
  return serverIn(data, binaries, port, user);
}

async function copyServer(
  binaries: string,
  data: string,
  user: OsUser | undefined,
  port: number,
  ...options: string[]
): Promise<void> {
  await createFolder(data, user);
  const from = ["-h", "127.0.0.1", "-p", String(port), "-U", "postgres"];
  execFileSync(
    path.join(binaries, "pg_basebackup"),
    [...from, "-D", data, "--checkpoint=fast", "--no-sync", ...options],
    { ...user, cwd: data, stdio: "ignore" },
  );
}

async function restoreServers(
  binaries: string,
  folder: string,
  originals: readonly ClusterServer[],
  user: OsUser | undefined,
  point: string,
): Promise<Pick<Cluster, "coordinator" | "stop">> {
  const servers = await Promise.all(
    originals.map(async (_, index) => {
      const original = path.join(folder, String(index));
      const data = `${original}.${point}`;
      await createFolder(data, user);
      execFileSync("cp", ["-R", `${original}.copy/.`, data], { ...user });
      const port = await freePort();
      const settings = `port = ${port}
unix_socket_directories = '${data}'
archive_mode = off
restore_command = 'cp ${original}.wal/%f %p'
recovery_target_name = '${point}'
recovery_target_action = 'promote'
`;
      await appendFile(path.join(data, "postgresql.conf"), settings);
      await appendFile(path.join(data, "recovery.signal"), "");
      const server = serverIn(data, binaries, port, user);
      await server.start();
      return server;
    }),
  );
  const [coordinator] = servers as [ClusterServer];
  const sql = createSql(urlOf(coordinator, "postgres"), { connections: 1 });
  // It answers before it may write.
  while ((await sql`SELECT pg_is_in_recovery() AS yes`)[0]?.["yes"]) await sleep(100);
  for (const [index, { port }] of originals.entries()) {
    await sql`
      SELECT citus_update_node(nodeid, '127.0.0.1', ${servers[index]?.port ?? 0})
      FROM pg_dist_node WHERE nodeport = ${port}`;
  }
  await sql`SELECT recover_prepared_transactions()`;
  await sql.end();
  return {
    coordinator,
    stop: async () => {
      await Promise.all(servers.map((server) => server.crash()));
    },
  };
}

function serverIn(
  data: string,
  binaries: string,
  port: number,
  user: OsUser | undefined,
): ClusterServer {
  let running: Child | undefined;
  return {
    port,
    start: async () => {
      const lines: string[] = [];
      const child = startChild({
        command: path.join(binaries, "postgres"),
        args: ["-D", data],
        cwd: data,
        // Servers ask one another for certificates of a home folder, which may be another user's.
        env: { ...process.env, HOME: data },
        user,
        stopSignal: "INT",
        onLine: (line) => lines.push(line),
      });
      running = child;
      const answers = await child.until(answer(port), AbortSignal.timeout(PATIENCE_MS));
      if (!answers) throw new Error(`a server did not start: ${lines.slice(-3).join(" ")}`);
    },
    crash: async () => {
      if (!running) return;
      const [pid] = readFileSync(path.join(data, "postmaster.pid"), "utf8").split("\n");
      process.kill(Number(pid), "SIGQUIT");
      await running.stop(STOP_PATIENCE_MS);
      running = undefined;
    },
  };
}

/** Waits until a server answers. */
async function answer(port: number): Promise<true> {
  for (;;) {
    const sql = createSql(urlOf({ port }, "postgres"), { connections: 1 });
    const rows = await sql`SELECT 1`.catch(() => undefined);
    await sql.end({ timeout: 0 });
    if (rows) return true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Makes a database, unless each server begins with it, that can be a part of a cluster. */
async function createDatabase(server: ClusterServer, database: string): Promise<void> {
  if (database !== "postgres") {
    const first = createSql(urlOf(server, "postgres"), { connections: 1 });
    await first`CREATE DATABASE ${first(database)}`;
    await first.end();
  }
  const sql = createSql(urlOf(server, database), { connections: 1 });
  await sql`CREATE EXTENSION citus`;
  await sql.end();
}

async function join(
  coordinator: ClusterServer,
  workers: readonly ClusterServer[],
  database: string,
  portOf: PortOf,
): Promise<void> {
  await Promise.all([coordinator, ...workers].map((server) => createDatabase(server, database)));
  const sql = createSql(urlOf(coordinator, database), { connections: 1 });
  await sql`SELECT citus_set_coordinator_host('127.0.0.1', ${coordinator.port})`;
  for (const worker of workers) await sql`SELECT citus_add_node('127.0.0.1', ${portOf(worker)})`;
  await sql`
    SELECT citus_set_node_property('127.0.0.1', ${coordinator.port}, 'shouldhaveshards', false)`;
  await sql.end();
}
