import type { Sql } from "../../db/client.ts";
import { type TermWriter, writeAs } from "./writer.ts";

/** An index that replaces another one, or a primary key, while the chain is served (migrations/0080_narrow_indexes.sql). */
interface IndexBuild {
  name: string;
  tableName: string;
  /** The definition after the table in CREATE INDEX. */
  definition: string;
  replaced: string;
}

/** Time limit of the wait for the old index's lock: later queries of the table wait behind it. */
const LOCK_TIMEOUT = "2s";

/** Returns the indexes to be replaced, in build order. */
export function listIndexBuilds(sql: Sql) {
  return sql<IndexBuild[]>`
    SELECT name, table_name, definition, replaced FROM index_builds ORDER BY name`;
}

/** Builds an index beside the old one, then swaps them. Rejects on abort or a long lock. Throws `WriterReplacedError`. */
export async function buildIndex(
  writer: TermWriter,
  { name, tableName, definition, replaced }: IndexBuild,
  signal: AbortSignal,
): Promise<void> {
  const { sql } = writer;
  const unfinished = `${name}_new`;
  // CONCURRENTLY, so that readers do not queue behind a dead indexer's build.
  await sql`DROP INDEX CONCURRENTLY IF EXISTS ${sql(unfinished)}`;
  const build = sql.unsafe(
    `CREATE INDEX CONCURRENTLY "${unfinished}" ON "${tableName}" ${definition}`,
  );
  const cancel = () => build.cancel();
  signal.addEventListener("abort", cancel);
  await build.finally(() => signal.removeEventListener("abort", cancel));
  // Without statistics of its own the planner would underrate an index of words.
  await sql`ANALYZE ${sql(tableName)}`;
  await writeAs(writer, async (transaction) => {
    await transaction`SELECT set_config('lock_timeout', ${LOCK_TIMEOUT}, true)`;
    await transaction`ALTER TABLE ${sql(tableName)} DROP CONSTRAINT IF EXISTS ${sql(replaced)}`;
    await transaction`DROP INDEX IF EXISTS ${sql(replaced)}`;
    await transaction`ALTER INDEX ${sql(unfinished)} RENAME TO ${sql(name)}`;
    await transaction`DELETE FROM index_builds WHERE name = ${name}`;
  });
}
