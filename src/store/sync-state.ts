import { StoreError } from "../core/errors.ts";
import type { Hex } from "../core/evm/hex.ts";
import { printable } from "../core/printable.ts";
import {
  type Fragment,
  firstRow,
  pluck,
  type Queryable,
  type Row,
  type Transaction,
} from "../db/client.ts";
import { keepConnection } from "../db/driver/driver.ts";
import { type TermWriter, writeAs } from "./writer/writer.ts";

/** The published head: the newest block that answers may use. */
export interface ServedHead {
  number: number;
  hash: Hex;
  timestampSeconds: number;
  /** The number of roll-backs and resets. */
  generation: number;
  /** The first indexed block. */
  startBlock: number;
  /** First block from which on L1 fees are stored, at most `startBlock` if all are; null on a chain without L1 fees. */
  l1FeesFrom: number | null;
  /** A random id, different for another index of the same chain. */
  indexId: string;
}

/** The published head, and whether the indexes exist. */
export interface ServedState {
  head: ServedHead | undefined;
  /** False while the first load runs without its secondary indexes. */
  isIndexed: boolean;
  /** False while a server lacks rows of published blocks. */
  isWhole: boolean;
  /** True if rows are on several servers: an answer then holds only if the generation is the same after its reads. */
  isDistributed: boolean;
}

/** The served state in one row of `servedState`; null in every other row, undefined without one. */
type ServedStateColumn =
  | (Omit<ServedState, "head"> & { head: ServedHead | null })
  | null
  | undefined;

/** Reads the served state, in one statement. */
export async function getServedState(sql: Queryable): Promise<ServedState> {
  const [row] = await sql<{ servedState: ServedStateColumn }[]>`${servedState(sql)}`;
  return readServedState(row?.servedState);
}

/** Returns the published head; undefined before the first block. */
export async function getServedHead(sql: Queryable) {
  return (await getServedState(sql)).head;
}

/** Returns a statement's result and the served state, both from one statement. */
export async function findWithServedState(sql: Queryable, statement: Fragment) {
  const query = sql<(Row & { servedState: ServedStateColumn })[]>`
    SELECT found.*, state.served_state
    FROM (${statement}) AS found FULL JOIN (${servedState(sql)}) AS state ON false`;
  const found = await keepConnection(query);
  const place = found.findLastIndex((row) => row.servedState !== null);
  const [row] = place < 0 ? [] : found.splice(place, 1);
  // It is the last column, so that V8 keeps the objects fast.
  for (const other of found) delete (other as Row)["servedState"];
  return { found, state: readServedState(row?.servedState) };
}

function servedState(sql: Queryable): Fragment {
  return sql`
    SELECT json_build_object(
      'head', CASE WHEN head_number IS NOT NULL THEN json_build_object(
        'number', head_number, 'hash', '0x' || encode(head_hash, 'hex'),
        'timestampSeconds', head_timestamp, 'generation', generation,
        'startBlock', start_block, 'indexId', index_id, 'l1FeesFrom', CASE WHEN l1_fees THEN l1_fees_from END) END,
      'isIndexed', indexed, 'isWhole', lost_rows IS NULL, 'isDistributed', is_distributed()) AS served_state
    FROM sync_state`;
}

function readServedState(column: ServedStateColumn): ServedState {
  return column
    ? { ...column, head: column.head ?? undefined }
    : { head: undefined, isIndexed: true, isWhole: true, isDistributed: false };
}

/** The chain that a database is bound to from its first block on. */
export interface ChainIdentity {
  chainId: number;
  startBlock: number;
  genesisHash: Hex;
  /** True if internal transactions are indexed. */
  traced: boolean;
}

/** The index as a whole. */
export interface IndexState extends ChainIdentity {
  /** The number of roll-backs and resets so far. */
  generation: number;
  /** False while the first load runs without its secondary indexes: only the head can be read then. */
  indexed: boolean;
  /** True once the index, with all its indexes, has reached the node's first head. */
  synchronised: boolean;
  /** All blocks up to this number are recorded: the head, or a later one during a backfill; null without one. */
  recordedNumber: number | null;
}

/** Returns the state of the index; undefined when the database holds no chain yet. */
export function getIndexState(sql: Queryable) {
  return firstRow(sql<IndexState[]>`
    SELECT chain_id, start_block, genesis_hash, traced, generation, indexed, synchronised,
      greatest(recorded_number, head_number) AS recorded_number
    FROM sync_state`);
}

/** Stores a part of the state; `recorded_number` null: no block above the head is recorded. */
export async function updateIndexState(
  writer: TermWriter,
  part:
    | { indexed: true }
    | { synchronised: true }
    | { recorded_number: number | null }
    | { fees_followed: boolean },
): Promise<void> {
  await writeAs(writer, async (sql) => {
    await sql`UPDATE sync_state SET ${sql(part)}`;
  });
}

/** Binds a database to a chain: an empty one, or one after `deleteChain`. The latter raises the generation. */
export async function writeChainIdentity(sql: Queryable, identity: ChainIdentity): Promise<void> {
  const { chainId, startBlock, genesisHash, traced } = identity;
  await sql`
    INSERT INTO sync_state (chain_id, start_block, genesis_hash, traced)
    VALUES (${chainId}, ${startBlock}, ${genesisHash}, ${traced})
    ON CONFLICT (singleton) DO UPDATE SET
      chain_id = excluded.chain_id, start_block = excluded.start_block,
      genesis_hash = excluded.genesis_hash, traced = excluded.traced,
      head_number = NULL, head_hash = NULL, head_timestamp = NULL, latest_timestamp = NULL, times_back = 0, recorded_number = NULL,
      l1_fees = false, l1_fees_from = 0, delegations_to = -1, proven_parts = '{}', fees_followed = NULL, traced_to = NULL, generation = sync_state.generation + 1`;
}

/** Returns the parts of blocks that were proven on this chain. */
export function listProvenParts(sql: Queryable) {
  return pluck(sql<{ part: string }[]>`SELECT unnest(proven_parts) AS part FROM sync_state`);
}

/** Stores that a part of blocks was proven on this chain. */
export async function addProvenPart(sql: Queryable, part: string): Promise<void> {
  await sql`
    UPDATE sync_state SET proven_parts = proven_parts || ${part}::text
    WHERE NOT ${part}::text = ANY(proven_parts)`;
}

/** Moves the head to a recorded block; `rollBack` raises the generation. Throws `StoreError` when the block is missing. */
export async function writeHead(
  sql: Transaction,
  blockNumber: number,
  { rollBack }: { rollBack: boolean },
): Promise<void> {
  const { count } = await sql`
    UPDATE sync_state SET head_number = number, head_hash = hash, head_timestamp = timestamp,
      traced_to = CASE WHEN traced_to > number THEN number ELSE traced_to END,
      recorded_number = ${rollBack ? null : sql`nullif(greatest(recorded_number, number), number)`},
      generation = generation + ${rollBack ? 1 : 0}::int${rollBack ? sql`` : sql`, ${factsUpTo(sql, blockNumber)}`}
    FROM blocks WHERE number = ${blockNumber}`;
  if (count !== 1)
    throw new StoreError("head-missing", `block ${blockNumber} is not in the database`);
}

/** Follows how far times go back (migrations/0240_times_that_go_back.sql), and whether the chain has L1 fees. */
function factsUpTo(sql: Transaction, blockNumber: number): Fragment {
  return sql`(latest_timestamp, times_back, l1_fees) = (
    SELECT max(latest), greatest(times_back, max(latest - timestamp)), sync_state.l1_fees OR coalesce(bool_or(has_l1_fees), false)
    FROM (
      SELECT timestamp, next.l1_fees IS NOT NULL AS has_l1_fees,
        greatest(latest_timestamp, max(timestamp) OVER (ORDER BY number)) AS latest
      FROM blocks AS next WHERE next.number > coalesce(head_number, -1) AND next.number <= ${blockNumber}
    ) AS passed)`;
}

/** Stores the indexer's status, for the health report of any process. */
export async function writeIndexerStatus(sql: Queryable, status: object): Promise<void> {
  // It contains a node's text, with characters that PostgreSQL may refuse.
  const text = JSON.stringify(status, (_key, value) =>
    typeof value === "string" ? printable(value) : value,
  );
  await sql`
    INSERT INTO indexer_status (updated_at, status) VALUES (now(), ${text}::text::jsonb)
    ON CONFLICT (singleton) DO UPDATE SET updated_at = excluded.updated_at, status = excluded.status`;
}
