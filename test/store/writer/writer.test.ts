import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createSql, type Sql } from "../../../src/db/client.ts";
import { migrate } from "../../../src/db/migrate.ts";
import { takeWriterLock, type WriterTerm, writeAs } from "../../../src/store/writer/writer.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";

let database: TestDatabase;
let other: TestDatabase | undefined;
let clients: Sql[];
let lockSql: Sql;
let term: WriterTerm;
let copying: Promise<void>;

/** A writer that stands still in the middle of a COPY, as a process does that is stopped. */
beforeEach(async () => {
  database = await createTestDatabase();
  clients = [];
  lockSql = open();
  term = (await takeWriterLock(lockSql)) as WriterTerm;
  const begun = Promise.withResolvers<void>();
  copying = writeAs({ sql: open(), term }, async (transaction) => {
    const stream = await transaction`COPY tokens (address) FROM STDIN`.writable();
    stream.on("error", () => {});
    begun.resolve();
    await new Promise(() => {});
  });
  copying.catch(() => {});
  await begun.promise;
});

afterEach(async () => {
  await Promise.all(clients.map((client) => client.end({ timeout: 0 })));
  await database.drop();
  // PostgreSQL drops none while a COPY waits for its client.
  await other?.drop();
  other = undefined;
});

function open(): Sql {
  const client = createSql(database.url, { connections: 1 });
  clients.push(client);
  return client;
}

it("the next writer does not wait for one that stands still in the middle of a COPY", async () => {
  await lockSql.end();
  const next = (await takeWriterLock(open())) as WriterTerm;
  expect(next.epoch).toBe(term.epoch + 1);
  await expect(copying).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
  await expect(writeAs({ sql: open(), term: next }, async () => {})).resolves.toBeUndefined();
});

it("an upgrade does not wait for a writer that stands still in the middle of a COPY", async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "migrations-"));
  try {
    await cp(new URL("../../../migrations", import.meta.url), folder, { recursive: true });
    await writeFile(
      path.join(folder, "9999_later.sql"),
      "ALTER TABLE tokens ADD COLUMN later int;",
    );
    expect(await migrate(open(), "public", pathToFileURL(`${folder}/`))).toEqual([9999]);
    await expect(copying).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
  } finally {
    await rm(folder, { recursive: true });
  }
});

it("a term in one database ends nothing in another, though its tables have the same numbers", async () => {
  other = await createTestDatabase();
  await takeWriterLock(other.sql);
  const [copies] = await database.sql`
    SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'COPY tokens%'`;
  expect(copies).toEqual({ count: 1 });
});
