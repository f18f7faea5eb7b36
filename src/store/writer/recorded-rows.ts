import { StoreError } from "../../core/errors.ts";
import type { Hex } from "../../core/evm/hex.ts";
import { hasRows, type Queryable, type Sql, type Transaction } from "../../db/client.ts";
import { spreadGroups, spreadTables } from "../cluster/distribution.ts";
import { type BlockRange, type EncodedRows, inRange } from "./chain.ts";
import { chainTables } from "./chain-tables.ts";

// A commit on several servers may be visible on some only: a server lost between its two phases
// shows its part after its return. Nothing may be derived from rows before all are visible. A
// replacement server (a standby, a copy of the disk) may lack the last rows of its predecessor.

/** Published blocks counted again when a server is replaced: more than a standby's lag. */
const KEPT_BLOCKS = 10_000;

/** Returns the error of a server that has lost rows of published blocks. */
export function rowsLost(lost: string) {
  return new StoreError(
    "rows-lost",
    `a database server has lost rows of published blocks, nothing is answered until they are back: ${lost}`,
  );
}

/** Stores how many rows of a range this transaction records. */
export async function noteRecordedRows(sql: Transaction, range: BlockRange, encoded: EncodedRows) {
  const spread = spreadTables.filter((name) => encoded.has(name));
  await sql`
    INSERT INTO recorded_rows (first_block, last_block, table_name, row_count)
    SELECT ${range.from}, ${range.to}, name, count FROM unnest(
      ${spread.map((name) => chainTables[name].name)}::text[],
      ${spread.map((name) => encoded.get(name)?.rowCount ?? 0)}::int8[]
    ) AS noted (name, count)`;
}

/** Deletes row counts of blocks published long ago. */
export async function forgetRecordedRows(sql: Transaction, lastBlock: number): Promise<void> {
  const last = lastBlock - KEPT_BLOCKS;
  await sql`DELETE FROM recorded_rows WHERE first_block <= ${last} AND last_block <= ${last}`;
}

/** Ends the transactions that a lost server left between the two phases of a commit. */
export async function finishTransactions(sql: Sql): Promise<void> {
  await sql`SELECT recover_prepared_transactions()`;
}

interface RowCount {
  name: string;
  rows: number;
}

/** Names the table whose rows of a range's recorded blocks differ from the stored counts; null when none does. */
export async function findLostRows(sql: Sql, range: BlockRange): Promise<string | null> {
  const [noted, ...found] = await Promise.all([
    sql<RowCount[]>`
      SELECT table_name AS name, sum(row_count)::int8 AS rows FROM recorded_rows
      WHERE first_block BETWEEN ${range.from} AND ${range.to} GROUP BY table_name`,
    // One server has all rows of a block and counts them in one query.
    ...spreadGroups.map(({ column, tables }) => {
      const rows = tables
        .map((table) => chainTables[table].name)
        .map(
          (name) => sql`
            SELECT ${name}::text AS name, ${sql(column)} FROM ${sql(name)} WHERE ${inRange(sql, range)}`,
        )
        .reduce((all, one) => sql`${all} UNION ALL ${one}`);
      return sql<
        RowCount[]
      >`SELECT name, count(*) AS rows FROM (${rows}) AS recorded GROUP BY name`;
    }),
  ]);
  const rowsOf = (counts: readonly RowCount[], table: string) =>
    counts.find(({ name }) => name === table)?.rows ?? 0;
  const counted = found.flat();
  const lost = spreadTables
    .map((name) => chainTables[name].name)
    .find((name) => rowsOf(counted, name) !== rowsOf(noted, name));
  return lost === undefined
    ? null
    : `${lost} has ${rowsOf(counted, lost)} rows of ${rowsOf(noted, lost)}`;
}

/** Returns the servers' names from the coordinator, without connecting to them. */
export async function listServers(sql: Sql): Promise<string> {
  const [found] = await sql<[{ servers: string }]>`
    SELECT concat_ws(' ', pg_postmaster_start_time(),
      string_agg(nodename || ':' || nodeport, ' ' ORDER BY nodeid)) AS servers
    FROM pg_dist_node`;
  return found.servers;
}

/** Identifies the running servers, restarts included; undefined while one is unreachable. Opens new connections. */
export async function identifyServers(sql: Sql): Promise<string | undefined> {
  const [found] = await sql<[{ servers: string; reached: boolean }]>`
    SELECT bool_and(success) AS reached, concat_ws(' ',
      extract(epoch FROM pg_postmaster_start_time()), string_agg(result, ' ' ORDER BY result)) AS servers
    FROM run_command_on_workers('SELECT extract(epoch FROM pg_postmaster_start_time())')`;
  return found.reached ? found.servers : undefined;
}

/** Returns whether published blocks were counted on these servers, and were whole. */
export function isCounted(sql: Queryable, servers: string) {
  return hasRows(sql`SELECT 1 FROM sync_state WHERE servers = ${servers}`);
}

/** As `findLostRows`, for published blocks: by stored counts, else by the tables of a dump from one server. */
export async function findLostPublishedRows(sql: Sql): Promise<string | null> {
  const [published] = await sql<{ head: number; from: number | null; to: number | null }[]>`
    SELECT head_number AS head, min(first_block) AS "from", max(last_block) AS "to"
    FROM sync_state LEFT JOIN recorded_rows ON last_block <= head_number
    WHERE head_number IS NOT NULL GROUP BY head_number`;
  if (!published) return null;
  const { head, from, to } = published;
  return from === null || to === null ? findLostHashes(sql, head) : findLostRows(sql, { from, to });
}

/** Returns missing hashes; only several servers have a table of them (migrations/0140_hashes_of_transactions.sql). */
async function findLostHashes(sql: Sql, head: number): Promise<string | null> {
  const [newest] = await sql<{ hash: Hex }[]>`
    SELECT hash FROM transactions WHERE block_number <= ${head} ORDER BY block_number DESC LIMIT 1`;
  if (!newest) return null;
  const [found] = await sql`SELECT 1 FROM transaction_places(${newest.hash})`;
  return found ? null : "transaction_hashes lacks those of the transactions";
}

/** Stores the servers of the last count of published blocks, and its missing rows, null when complete. */
export async function writeCounted(sql: Transaction, servers: string, lost: string | null) {
  await sql`
    UPDATE sync_state SET servers = ${lost === null ? servers : null}, lost_rows = ${lost}`;
}
