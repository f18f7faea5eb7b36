import type { Hex } from "../core/evm/hex.ts";
import type { Queryable } from "../db/client.ts";
import type { TokenMarks } from "./state/tokens/marks.ts";

/** How the index is doing, by the database's own rows. Fields are null before they are known. */
export interface IndexHealth {
  chainId: number | null;
  headNumber: number | null;
  headHash: Hex | null;
  headTimestamp: number | null;
  generation: number | null;
  traced: boolean | null;
  /** Whether the head that the node had at first was reached once, with all indexes. */
  synchronised: boolean | null;
  /** Published numbers without a block; anything but 0 is a fault. */
  gaps: number | null;
  /** What servers lack of published blocks, in words. */
  lostRows: string | null;
  /** What the indexer last said of itself, and how long ago: by a clock that may have been set back meanwhile. */
  indexer: IndexerReport | null;
  indexerAgeSeconds: number | null;
}

/** The part of the indexer's report that is judged or measured; the whole of it is shown. */
interface IndexerReport {
  phase: string;
  /** Why it waits or is halted. */
  reason: string | null;
  nodeHead: number | null;
  /** State still to be read from the node, by kind. */
  pending: Readonly<Record<string, number>> | null;
  tokens?: TokenMarks | null;
  backfill: { recorded: number } | null;
  traces: { tracer: string | null; reason: string | null };
  [field: string]: unknown;
}

/** Health of the index in one statement. */
export async function getIndexHealth(sql: Queryable): Promise<IndexHealth> {
  const [health] = await sql<[IndexHealth]>`
    SELECT s.chain_id, s.head_number, s.head_hash,
      s.head_timestamp, s.generation, s.traced, s.synchronised, s.lost_rows,
      s.head_number - s.start_block + 1
        - (SELECT coalesce(sum(block_count), 0)::bigint FROM daily_statistics) AS gaps,
      i.status AS indexer,
      abs(extract(epoch FROM now() - i.updated_at))::int AS indexer_age_seconds
    FROM (VALUES (true)) AS one (singleton)
    LEFT JOIN sync_state s USING (singleton)
    LEFT JOIN indexer_status i USING (singleton)`;
  return health;
}
