import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { migrate } from "../../src/db/migrate.ts";
import { openIndexedNode } from "../support/indexed-node.ts";

/** Counts that a newer version adds to each block, from its upgrade on. */
const COUNTED = `
  CREATE TABLE counted AS SELECT number FROM blocks;
  SELECT pg_sleep(1);`;

it("an indexer of an earlier version writes nothing once a newer one has upgraded the database", async () => {
  const { node, sql, indexer } = await start();
  const folder = await mkdtemp(path.join(os.tmpdir(), "periscope-upgrade-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await cp("migrations", folder, { recursive: true });
  await writeFile(path.join(folder, "9999_counted.sql"), COUNTED);
  const upgrading = migrate(sql, "public", pathToFileURL(`${folder}/`));
  const mining = setInterval(() => node.chain.mine({ transactions: [{}] }), 20);
  await upgrading.finally(() => clearInterval(mining));
  node.chain.mine({ transactions: [{}] });
  // Before that it may have lost its connections to the upgrade.
  await expect
    .poll(() => indexer.status())
    .toMatchObject({
      phase: "waiting",
      reason: expect.stringContaining("a newer Periscope has upgraded the database"),
    });
  const left = await sql`
    SELECT number FROM blocks WHERE number NOT IN (SELECT number FROM counted)`;
  expect(left).toEqual([]);
  // The newer version's indexer can begin.
  await expect
    .poll(
      () => sql`SELECT 1 FROM pg_locks WHERE locktype = 'advisory'
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    )
    .toEqual([]);
});

async function start() {
  const index = await openIndexedNode();
  await index.start();
  await index.follow({ transactions: [{}] });
  return index;
}
