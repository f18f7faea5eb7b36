import { pluck, type Sql, type Transaction } from "../../db/client.ts";
import { failureCodeOf } from "../../db/failures.ts";
import { chainTables } from "./chain-tables.ts";

/** PostgreSQL's code on a platform that cannot check its connections. */
const INVALID_PARAMETER_VALUE = "22023";
/** Indexes by these columns stay, for appends and roll-backs, except by the state's `block_number`, the block of a read. */
const BLOCK_COLUMNS = ["block_number", "number", "first_block", "balance_block"];
/** Finds the rows of the state to update, as primary keys do elsewhere. */
const KEPT = ["token_balances_key"];

/** Drops, and notes, the indexes that a first load does not need; those that find state's rows to update stay. */
export async function deferIndexes(sql: Transaction, stateTables: readonly string[]) {
  const chain = Object.values(chainTables).map((table) => table.name);
  const indexes = await sql<
    { name: string; tableName: string; constraint: string | null; definition: string }[]
  >`
    SELECT index.relname AS name, owner.relname AS table_name, conname AS constraint,
      CASE WHEN conname IS NULL THEN pg_get_indexdef(index.oid)
        ELSE format('ALTER TABLE %I ADD CONSTRAINT %I %s', owner.relname, conname, pg_get_constraintdef(pg_constraint.oid))
      END AS definition
    FROM pg_index
    JOIN pg_class AS index ON index.oid = indexrelid
    JOIN pg_class AS owner ON owner.oid = indrelid
    JOIN pg_am ON pg_am.oid = index.relam
    LEFT JOIN pg_constraint ON conindid = index.oid AND contype = 'p'
    LEFT JOIN pg_attribute ON attrelid = owner.oid AND attnum = indkey[0]
    WHERE owner.relnamespace = current_schema()::regnamespace AND amname = 'btree'
      AND (owner.relname = ANY (${chain}::text[]) OR owner.relname = ANY (${[...stateTables]}::text[]) AND conname IS NULL)
      AND index.relname <> ALL (${KEPT}::text[])
      AND (attname IS NULL OR attname <> ALL (${BLOCK_COLUMNS}::text[])
        OR attname = 'block_number' AND owner.relname = ANY (${[...stateTables]}::text[]))
    ORDER BY 1`;
  await sql`UPDATE sync_state SET indexed = false`;
  for (const { name, tableName, constraint, definition } of indexes) {
    await sql`INSERT INTO deferred_indexes (name, definition) VALUES (${name}, ${definition})`;
    await (constraint === null
      ? sql`DROP INDEX ${sql(name)}`
      : sql`ALTER TABLE ${sql(tableName)} DROP CONSTRAINT ${sql(constraint)}`);
  }
  // Indexes due for replacement return as their replacements.
  await sql`
    DELETE FROM deferred_indexes AS deferred USING index_builds AS build
    WHERE deferred.name = build.name || '_new'`;
  await sql`
    UPDATE deferred_indexes AS deferred SET name = build.name,
      definition = format('CREATE INDEX %I ON %I %s', build.name, table_name, build.definition)
    FROM index_builds AS build WHERE deferred.name = build.replaced`;
  await sql`
    DELETE FROM index_builds AS build USING deferred_indexes AS deferred WHERE deferred.name = build.name`;
}

/** Returns the names of the missing indexes, in build order. */
export function listDeferredIndexes(sql: Sql) {
  return pluck(sql<{ name: string }[]>`SELECT name FROM deferred_indexes ORDER BY name`);
}

/** Builds a missing index. An interruption leaves it missing, to be built again. */
export async function buildDeferredIndex(sql: Sql, name: string): Promise<void> {
  await sql.begin(async (transaction) => {
    const [index] = await transaction<{ definition: string }[]>`
      DELETE FROM deferred_indexes WHERE name = ${name} RETURNING definition`;
    if (!index) return;
    await transaction`SET LOCAL maintenance_work_mem = '256MB'`;
    // A dead indexer's build would block the next one. Some platforms cannot check this.
    await transaction
      .savepoint((nested) => nested`SET LOCAL client_connection_check_interval = '2s'`)
      .catch((error: unknown) => {
        if (failureCodeOf(error) !== INVALID_PARAMETER_VALUE) throw error;
      });
    await transaction.unsafe(index.definition);
  });
}

/** Updates the planner's statistics, for which PostgreSQL takes a minute after a load. */
export async function analyzeTables(sql: Sql, names: readonly string[]): Promise<void> {
  await sql`ANALYZE ${sql(names)}`;
}

/** As `analyzeTables`, for tables with rows and no statistics, as after a restored dump. Skips locked tables. */
export async function analyzeUnknownTables(sql: Sql, names: readonly string[]): Promise<void> {
  const unknown = await sql<{ name: string }[]>`
    SELECT relname AS name FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relname = ANY (${[...names]}::text[])
      AND pg_relation_size(oid) > 0 AND NOT EXISTS (
        SELECT 1 FROM pg_stats WHERE schemaname = current_schema() AND tablename = relname)`;
  if (unknown.length === 0) return;
  await sql`ANALYZE (SKIP_LOCKED) ${sql(unknown.map(({ name }) => name))}`;
}

/** A larger table is left to PostgreSQL itself: a head waits for this. */
const VACUUMED_ROWS_MAXIMUM = 500_000;

/** Vacuums tables with a tenth of dead rows, ahead of PostgreSQL. Skips those just vacuumed or being indexed. */
export async function vacuumTables(sql: Sql, names: readonly string[]): Promise<void> {
  const tables = await sql<{ name: string }[]>`
    SELECT relname AS name FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relname = ANY (${[...names]}::text[])
      AND pg_stat_get_dead_tuples(oid) > 5000 + pg_stat_get_live_tuples(oid) / 10
      AND pg_stat_get_live_tuples(oid) <= ${VACUUMED_ROWS_MAXIMUM}
      AND coalesce(pg_stat_get_last_vacuum_time(oid) < now() - interval '1 second', true)`;
  for (const { name } of tables) await sql`VACUUM (SKIP_LOCKED) ${sql(name)}`;
}
