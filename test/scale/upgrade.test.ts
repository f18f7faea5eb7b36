import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { createSql } from "../../src/db/client.ts";
import { migrate } from "../../src/db/migrate.ts";
import { distributeTables } from "../../src/store/cluster/distribution.ts";
import { buildIndex, listIndexBuilds } from "../../src/store/writer/index-builds.ts";
import { takeWriterLock } from "../../src/store/writer/writer.ts";
import { createTestDatabase } from "../support/postgres.ts";

/** The last migration of the version whose tables are spread. */
const EARLIER = 140;
const SCHEMA = "earlier";

it("tables that an earlier version spread take the migrations and indexes of this one", async () => {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const sql = createSql(database.url, { connections: 2, schema: SCHEMA });
  onTestFinished(() => sql.end());
  const folder = await mkdtemp(path.join(os.tmpdir(), "periscope-upgrade-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const name of await readdir("migrations")) {
    if (Number(name.slice(0, 4)) <= EARLIER)
      await cp(path.join("migrations", name), path.join(folder, name));
  }
  await migrate(sql, SCHEMA, pathToFileURL(`${folder}/`));
  await distributeTables(sql);
  await sql`
    INSERT INTO blocks (number, hash, parent_hash, timestamp, miner, difficulty, size, gas_limit, gas_used,
      transaction_count, fees, reward)
    VALUES (0, '\\x00', '\\x00', 0, '\\x00', 0, 0, 0, 0, 0, 0, 0)`;
  expect(await migrate(sql, SCHEMA)).not.toEqual([]);
  const lockSql = createSql(database.url, { connections: 1, schema: SCHEMA });
  onTestFinished(() => lockSql.end());
  const term = await takeWriterLock(lockSql);
  if (!term) throw new Error("another writer has the lock");
  for (const build of await listIndexBuilds(sql)) {
    await buildIndex({ sql, term }, build, new AbortController().signal);
  }
  expect(await listIndexBuilds(sql)).toEqual([]);
  const key = () =>
    sql<[{ key: string }]>`SELECT index_key('\\x01')::text AS key`.then(([row]) => row.key);
  const before = await key();
  await sql`SELECT renew_index_keys()`;
  const after = await key();
  expect(after).not.toBe(before);
  const workers = await sql<{ key: string }[]>`
    SELECT result AS key FROM run_command_on_workers(${`SELECT ${SCHEMA}.index_key('\\x01')`})`;
  expect(workers.length).toBeGreaterThan(0);
  for (const worker of workers) expect(worker.key).toBe(after);
});
