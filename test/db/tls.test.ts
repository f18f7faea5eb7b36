import { chown, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import pino from "pino";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createSql } from "../../src/db/client.ts";
import { dataFolder } from "../../src/db/embedded/cluster.ts";
import { startEmbeddedPostgres } from "../../src/db/embedded/embedded.ts";
import { startRelay } from "../support/relay.ts";

// A real server with TLS. Its certificate is for the name localhost; the keys in the fixtures protect nothing.

const fixture = (name: string) =>
  fileURLToPath(new URL(`../fixtures/tls/${name}`, import.meta.url));
const AUTHORITY = fixture("authority.crt");

let root: string;
let server: Awaited<ReturnType<typeof startEmbeddedPostgres>>;

beforeAll(async () => {
  root = await mkdtemp(path.join(os.tmpdir(), "periscope-tls-"));
  const log = pino({ level: "silent" });
  server = await startEmbeddedPostgres({
    folder: path.join(root, "postgres"),
    log,
    durable: false,
  });
});
afterAll(async () => {
  await server.stop();
  await rm(root, { recursive: true, force: true });
});

/** Asks the server whether the connection is encrypted. */
async function isEncrypted(parameters: string, change = (_: URL): void => {}): Promise<unknown> {
  const url = new URL(server.url);
  url.search = parameters;
  change(url);
  const sql = createSql(url.href, { connections: 1 });
  try {
    const [row] = await sql`SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`;
    return row?.["ssl"];
  } finally {
    await sql.end({ timeout: 1 });
  }
}

const named = (url: URL): void => {
  url.hostname = "localhost";
};

test("refuses to go on without TLS where it was asked for", async () => {
  expect(await isEncrypted("")).toBe(false);
  expect(await isEncrypted("?sslmode=prefer")).toBe(false);
  await expect(isEncrypted("?sslmode=require")).rejects.toThrow("offers no TLS");
  await expect(isEncrypted(`?sslmode=verify-full`)).rejects.toThrow("offers no TLS");
});

test("says what a wrong setting should have been", async () => {
  expect(() => createSql(`${server.url}?sslmode=yes`)).toThrow("take disable, allow, prefer");
  expect(() => createSql(`${server.url}?sslmode=require&sslrootcert=/none`)).toThrow("ENOENT");
});

test("ends when the server takes the connection and does not answer, or ends it", async () => {
  const silent = net.createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const { port } = silent.address() as net.AddressInfo;
  const asked = isEncrypted("?sslmode=require", (url) => {
    url.port = String(port);
  });
  await expect(asked).rejects.toThrow();
  silent.close();
});

test("encrypts and proves as the mode says", async () => {
  const folder = dataFolder(path.join(root, "postgres"));
  const { uid, gid } = await stat(folder);
  for (const name of ["server.crt", "server.key"]) {
    const file = path.join(folder, name);
    await writeFile(file, await readFile(fixture(name)), { mode: 0o600 });
    // As root, the server runs as another user.
    await chown(file, uid, gid);
  }
  const sql = createSql(server.url, { connections: 1 });
  await sql`ALTER SYSTEM SET ssl_cert_file = 'server.crt'`;
  await sql`ALTER SYSTEM SET ssl_key_file = 'server.key'`;
  await sql`ALTER SYSTEM SET ssl = on`;
  await sql`SELECT pg_reload_conf()`;
  await vi.waitFor(async () => expect(await isEncrypted("?sslmode=require")).toBe(true), 10_000);
  await sql.end();

  expect(await isEncrypted("?sslmode=prefer")).toBe(true);
  expect(await isEncrypted("?sslmode=disable")).toBe(false);
  const own = `&sslrootcert=${AUTHORITY}`;
  expect(await isEncrypted(`?sslmode=verify-full${own}`, named)).toBe(true);
  expect(await isEncrypted(`?sslmode=verify-ca${own}`)).toBe(true);
  // An address is not the name in the certificate.
  await expect(isEncrypted(`?sslmode=verify-full${own}`)).rejects.toThrow("does not match");
  const other = `&sslrootcert=${fixture("other-authority.crt")}`;
  for (const mode of ["require", "verify-ca", "verify-full"]) {
    await expect(isEncrypted(`?sslmode=${mode}${other}`, named)).rejects.toThrow("certificate");
  }
  await expect(isEncrypted("?sslmode=verify-full", named)).rejects.toThrow("certificate");
});

test("survives a lost connection in the middle of a transaction", async () => {
  const relay = await startRelay(Number(new URL(server.url).port));
  const url = new URL(server.url);
  url.port = String(relay.port);
  url.search = "?sslmode=require";
  const sql = createSql(url.href, { connections: 1 });
  const lost = sql.begin(async (transaction) => {
    await transaction`SELECT 1`;
    relay.cut();
    await transaction`SELECT 1`;
  });
  await expect(lost).rejects.toThrow();
  await vi.waitFor(
    async () => expect([...(await sql`SELECT 1 AS one`)]).toEqual([{ one: 1 }]),
    5_000,
  );
  await sql.end({ timeout: 1 });
  await relay.stop();
});
