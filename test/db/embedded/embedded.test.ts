import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmdirSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import pino from "pino";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { ConfigError } from "../../../src/core/errors.ts";
import { createSql } from "../../../src/db/client.ts";
import { findBinaries, ordinaryUser } from "../../../src/db/embedded/binaries.ts";
import { dataArgument, dataFolder, serverEnvironment } from "../../../src/db/embedded/cluster.ts";
import { startEmbeddedPostgres } from "../../../src/db/embedded/embedded.ts";
import { isAlive } from "../../../src/process/child.ts";

const log = pino({ level: "silent" });
let root: string;
let folder: string;

beforeEach(async () => {
  root = await mkdtemp(path.join(os.tmpdir(), "periscope-embedded-"));
  folder = path.join(root, "postgres");
});

afterEach(() => rm(root, { recursive: true, force: true }));

function start() {
  return startEmbeddedPostgres({ folder, log, durable: false });
}

async function serverPid(): Promise<number> {
  return Number(
    (await readFile(path.join(dataFolder(folder), "postmaster.pid"), "utf8")).split("\n")[0],
  );
}

async function query(url: string, text: string): Promise<unknown> {
  const sql = createSql(url, { connections: 1 });
  const [row] = await sql.unsafe(text);
  await sql.end();
  return row?.["value"];
}

test("keeps what was written from one run to the next", async () => {
  const first = await start();
  await query(first.url, "CREATE TABLE kept AS SELECT 'é' AS value");
  await first.stop();
  expect(await first.exited).toBe("exit code 0");

  const second = await start();
  expect(await query(second.url, "SELECT upper(value) AS value FROM kept")).toBe("É");
  await second.stop();
});

const disk = path.join(os.tmpdir(), `periscope-disk-${process.pid}`);
mkdirSync(disk);
const mounting = spawnSync("/bin/mount", ["-t", "tmpfs", "-o", "size=20M", "tmpfs", disk]);
afterAll(() => {
  spawnSync("/bin/umount", [disk]);
  rmdirSync(disk);
});

test.runIf(mounting.status === 0)(
  "a disk without room for it is named, with the cure",
  async () => {
    folder = path.join(disk, "postgres");
    const start = startEmbeddedPostgres({ folder, log, durable: false });
    await expect(start).rejects.toThrow(ConfigError);
    await expect(start).rejects.toThrow(
      /^the embedded PostgreSQL needs 50 MB in DATA_DIR to begin with, but its disk has \d+ MB left; free some/,
    );
  },
);

test("ends sessions that are in the middle of a statement when it is stopped", async () => {
  const server = await start();
  const sleeper = query(server.url, "SELECT pg_sleep(60) AS value");
  const failure = expect(sleeper).rejects.toThrow();
  await query(server.url, "SELECT 1 AS value");
  await server.stop();
  expect(await server.exited).toBe("exit code 0");
  await failure;
});

test("refuses connections without the password", async () => {
  const server = await start();
  const url = new URL(server.url);
  url.password = "guessed";
  await expect(query(url.href, "SELECT 1 AS value")).rejects.toThrow("password");
  await server.stop();
});

test("begins anew after a first start that was interrupted", async () => {
  await mkdir(path.join(root, "postgres.new", "data", "base"), { recursive: true });
  await writeFile(path.join(root, "postgres.new", "data", "PG_VERSION"), "18\n");
  const server = await start();
  expect(await query(server.url, "SELECT 1 AS value")).toBe(1);
  await server.stop();
  expect(await readdir(root)).toEqual(["postgres"]);
});

test("ends with the process that started it, even when that is killed", async () => {
  const script = `
    import { startEmbeddedPostgres } from "${import.meta.dirname}/../../../src/db/embedded/embedded.ts";
    import pino from "pino";
    const options = { folder: ${JSON.stringify(folder)}, log: pino({ level: "silent" }), durable: false };
    const { url } = await startEmbeddedPostgres(options);
    process.stdout.write(url);`;
  const owner = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [url] = await once(owner.stdout, "data");
  await query(String(url), "CREATE TABLE kept AS SELECT 7 AS value");
  const pid = await serverPid();
  owner.kill("SIGKILL");

  const next = await start();
  expect(isAlive(pid)).toBe(false);
  expect(await query(next.url, "SELECT value FROM kept")).toBe(7);
  await next.stop();
});

test("stops a server that was left behind in its folder", async () => {
  await (await start()).stop();
  const user = await ordinaryUser(dataFolder(folder));
  const { postgres } = await findBinaries(user);
  const leftover = spawn(
    postgres,
    ["-D", dataArgument({ user, folder }), "-c", "listen_addresses=", "-k", os.tmpdir()],
    {
      cwd: dataFolder(folder),
      env: serverEnvironment(),
      stdio: ["ignore", "ignore", "pipe"],
      ...user,
    },
  );
  const ended = once(leftover, "exit");
  for await (const line of createInterface({ input: leftover.stderr })) {
    if (line.includes("ready to accept connections")) break;
  }

  const server = await start();
  expect(await ended).toEqual([0, null]);
  expect(await query(server.url, "SELECT 1 AS value")).toBe(1);
  await server.stop();
});

test("is not stopped by a lock file whose number now belongs to another process", async () => {
  await (await start()).stop();
  await writeFile(path.join(dataFolder(folder), "postmaster.pid"), `${process.pid}\n`);
  const server = await start();
  expect(await query(server.url, "SELECT 1 AS value")).toBe(1);
  await server.stop();
});

test("refuses data of another major version and says what to do", async () => {
  await (await start()).stop();
  await writeFile(path.join(dataFolder(folder), "PG_VERSION"), "12\n");
  await expect(start()).rejects.toThrow(/made by PostgreSQL 12.*remove that folder/);
});

test("leaves a folder alone that holds something else", async () => {
  await mkdir(folder);
  await writeFile(path.join(folder, "precious"), "mine");
  await expect(start()).rejects.toThrow(ConfigError);
  expect(await readFile(path.join(folder, "precious"), "utf8")).toBe("mine");
});

test("says why the server does not start", async () => {
  await (await start()).stop();
  await rm(path.join(dataFolder(folder), "global", "pg_control"));
  await expect(start()).rejects.toThrow(/did not start: .*could not/);
});

test("says why the server ended", async () => {
  const { url, exited, stop } = await start();
  await rm(path.join(dataFolder(folder), "pg_wal"), { recursive: true });
  await expect(
    query(url, "SELECT pg_logical_emit_message(false, '', repeat('x', 40000000)) AS value"),
  ).rejects.toThrow();
  await stop();
  expect(await exited).toMatch(/^could not create file "pg_wal.*; /);
});
