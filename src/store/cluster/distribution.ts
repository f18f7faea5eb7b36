import { ConfigError } from "../../core/errors.ts";
import {
  type Fragment,
  hasRows,
  type Queryable,
  type Sql,
  type Transaction,
} from "../../db/client.ts";
import { type ChainTableName, chainTables } from "../writer/chain-tables.ts";

// A chain on Citus: most rows are distributed over the workers, all others are on the coordinator.
// Publishing stays one transaction of the coordinator.

/** The distributed tables by their distribution column. Rows of one group with the same value are on one server. */
export const spreadGroups: readonly { column: string; tables: readonly ChainTableName[] }[] = [
  {
    column: "block_number",
    tables: ["transactions", "logs", "internalTransactions", "tokenTransfers", "withdrawals"],
  },
  { column: "hash", tables: ["transactionHashes"] },
  {
    column: "address",
    tables: ["addressTransactions", "addressInternalTransactions", "addressTokenTransfers"],
  },
];

/** The distributed tables. */
export const spreadTables = spreadGroups.flatMap(({ tables }) => tables);

/** Returns whether the tables of the client's schema are distributed over several servers. */
export function isDistributed(sql: Queryable) {
  return hasRows(sql`SELECT WHERE is_distributed()`);
}

/** Uses one connection to each worker for small writes: a commit asks every connection twice. */
export async function shareConnections(sql: Transaction): Promise<void> {
  await sql`SELECT set_config('citus.max_adaptive_executor_pool_size', '1', true)`;
}

const MINIMUM_VERSION = 13;

/** Distributes an empty schema's tables on a Citus coordinator. Throws `ConfigError` for an old Citus or old tables. */
export async function distributeTables(sql: Sql): Promise<void> {
  const [citus] = await sql<{ version: string }[]>`
    SELECT extversion AS version FROM pg_extension WHERE extname = 'citus'`;
  if (!citus) return;
  if (Number.parseInt(citus.version, 10) < MINIMUM_VERSION) {
    throw new ConfigError(
      `the database has Citus ${citus.version}; Periscope needs ${MINIMUM_VERSION} or newer`,
    );
  }
  await sql.begin(async (transaction) => {
    await transaction`SELECT pg_advisory_xact_lock(${LOCK_KEY})`;
    const [kept] = await transaction`SELECT 1 FROM sync_state`;
    const isSpread = await isDistributed(transaction);
    if (isSpread) await askByCall(transaction);
    if (kept || isSpread) return;
    const [view] = await transaction`
      SELECT 1 FROM pg_class WHERE oid = 'transaction_hashes'::regclass AND relkind = 'v'`;
    if (view) {
      throw new ConfigError(
        "the tables were made before Citus was there; drop their schema to spread them",
      );
    }
    await transaction`SELECT set_config('citus.multi_shard_modify_mode', 'sequential', true)`;
    await withoutViews(transaction, () => spread(transaction));
  });
}

async function spread(sql: Transaction): Promise<void> {
  // Hashes have a separate table here, and logs are not colocated with their transactions.
  await sql`DROP INDEX IF EXISTS transactions_hash`;
  for (const { column, tables } of spreadGroups) {
    const [first] = tables as [ChainTableName];
    for (const name of tables) await distribute(sql, name, { column, first });
  }
  // On all servers, as conditions on shards contain it; true only on the coordinator.
  await sql`
    CREATE OR REPLACE FUNCTION is_distributed() RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS 'BEGIN RETURN (SELECT groupid = 0 FROM pg_dist_local_group); END'`;
  await askByCall(sql);
}

/** Makes a change that Citus refuses while the schema has its views, which it reports as circular. */
async function withoutViews(sql: Transaction, change: () => Promise<void>): Promise<void> {
  const views = await sql<{ name: string; definition: string }[]>`
    SELECT relname AS name, format('CREATE VIEW %I AS %s', relname, pg_get_viewdef(oid)) AS definition
    FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'v' AND ${isOurs(sql)}`;
  for (const { name } of views) await sql`DROP VIEW ${sql(name)}`;
  await change();
  for (const { definition } of views) await sql.unsafe(definition);
}

/** Returns whether a catalogue object belongs to no extension, as SQL. */
function isOurs(sql: Transaction): Fragment {
  return sql`NOT EXISTS (SELECT 1 FROM pg_depend WHERE objid = oid AND deptype = 'e')`;
}

/** An arbitrary constant, the same in all versions. */
const LOCK_KEY = 7_220_415_002;

async function distribute(
  sql: Transaction,
  name: ChainTableName,
  { column, first }: { column: string; first: ChainTableName },
): Promise<void> {
  const beside = first === name ? "none" : chainTables[first].name;
  // A shard move replicates a roll-back's deletions, also without a primary key.
  await sql`ALTER TABLE ${sql(chainTables[name].name)} REPLICA IDENTITY FULL`;
  await sql`
    SELECT create_distributed_table(${chainTables[name].name}::text::regclass, ${column}, colocate_with => ${beside})`;
}

/** Makes functions that read by places run as calls: Citus refuses their bodies within statements that join coordinator tables. */
async function askByCall(sql: Transaction): Promise<void> {
  await sql`SELECT set_config('citus.enable_ddl_propagation', 'off', true)`;
  const functions = await sql<{ definition: string }[]>`
    SELECT format('CREATE OR REPLACE FUNCTION %I(%s) RETURNS %s LANGUAGE plpgsql STABLE STRICT ROWS %s AS %L',
      proname, pg_get_function_arguments(oid), pg_get_function_result(oid), prorows,
      format('BEGIN RETURN QUERY %s; END', prosrc)) AS definition
    FROM pg_proc
    WHERE pronamespace = current_schema()::regnamespace AND proretset
      AND ${isOurs(sql)} AND prolang = (SELECT oid FROM pg_language WHERE lanname = 'sql')`;
  for (const { definition } of functions) await sql.unsafe(definition);
}
