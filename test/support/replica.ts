import { chown, cp, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { findBinaries, ordinaryUser } from "../../src/db/embedded/binaries.ts";
import {
  CLUSTER_USER,
  type Cluster,
  dataArgument,
  dataFolder,
  prepareCluster,
  serverEnvironment,
} from "../../src/db/embedded/cluster.ts";
import { type Child, startChild } from "../../src/process/child.ts";
import { freePort } from "../../src/process/free-port.ts";

/** A PostgreSQL server and another one that follows it by streaming replication. */
export interface ReplicatedDatabase {
  primaryUrl: string;
  replicaUrl: string;
  stop(): Promise<void>;
}

const SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  fsync: "off",
  wal_level: "replica",
  hot_standby_feedback: "on",
};
const STOP_PATIENCE_MS = 5_000;

/** Starts both on loopback, each in a cluster of its own; the replica begins as a copy of the empty primary. */
export async function startReplicatedDatabase(): Promise<ReplicatedDatabase> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "periscope-replica-"));
  const user = await ordinaryUser(folder);
  if (user) await chown(folder, user.uid, user.gid);
  const binaries = await findBinaries(user);
  const primary: Cluster = { binaries, user, folder: path.join(folder, "primary") };
  const replica: Cluster = { ...primary, folder: path.join(folder, "replica") };
  const password = await prepareCluster(primary, false);
  await cp(primary.folder, replica.folder, { recursive: true });
  const [primaryPort, replicaPort] = [await freePort(), await freePort()];
  const source = `host=127.0.0.1 port=${primaryPort} user=${CLUSTER_USER} password=${password}`;
  await writeFile(path.join(dataFolder(replica.folder), "standby.signal"), "");
  await own(replica.folder, user);
  const servers = [
    await startServer(primary, { ...SETTINGS, port: String(primaryPort) }),
    await startServer(replica, {
      ...SETTINGS,
      port: String(replicaPort),
      primary_conninfo: source,
    }),
  ];
  const urlAt = (port: number) =>
    `postgres://${CLUSTER_USER}:${password}@127.0.0.1:${port}/postgres`;
  return {
    primaryUrl: urlAt(primaryPort),
    replicaUrl: urlAt(replicaPort),
    stop: async () => {
      await Promise.all(servers.map((server) => server.stop(STOP_PATIENCE_MS)));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function startServer(cluster: Cluster, settings: Record<string, string>): Promise<Child> {
  const { promise: ready, resolve } = Promise.withResolvers<true>();
  const lines: string[] = [];
  const child = startChild({
    command: cluster.binaries.postgres,
    args: [
      ...["-D", dataArgument(cluster)],
      ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    ],
    cwd: dataFolder(cluster.folder),
    env: serverEnvironment(),
    user: cluster.user,
    stopSignal: "INT",
    onLine: (line) => {
      lines.push(line);
      if (/ready to accept (?:read-only )?connections/.test(line)) resolve(true);
    },
  });
  if (await child.until(ready, undefined)) return child;
  throw new Error(`PostgreSQL ended instead of starting: ${lines.join("\n")}`);
}

/** Copies of root belong to root. */
async function own(folder: string, user: Cluster["user"]): Promise<void> {
  if (!user) return;
  await chown(folder, user.uid, user.gid);
  for (const entry of await readdir(folder, { recursive: true })) {
    await chown(path.join(folder, entry), user.uid, user.gid);
  }
}
