import type { Hex } from "../core/evm/hex.ts";
import type { Queryable } from "../db/client.ts";
import type { TokenMarks } from "./state/tokens/marks.ts";
import { isWritten } from "./writer/writer.ts";

/** Health of the index by the database's rows. Fields are null before they are known. */
export interface IndexHealth {
  chainId: number | null;
  headNumber: number | null;
  headHash: Hex | null;
  headTimestamp: number | null;
  generation: number | null;
  traced: boolean | null;
  /** True if the node's first head was reached once, with all indexes. */
  synchronised: boolean | null;
  /** Published numbers without a block; anything but 0 is an error. */
  gaps: number | null;
  /** Names the table whose rows of published blocks are missing on servers. */
  lostRows: string | null;
  /** The indexer's last report and its age, by a clock that may have been set back. */
  indexer: IndexerReport | null;
  indexerAgeSeconds: number | null;
  /** True if a session holds the writer's lock; null on a replica, which does not see locks. */
  written: boolean | null;
}

/** The judged or measured part of the indexer's report, which is shown whole. */
interface IndexerReport {
  phase: string;
  /** Why it waits or is halted. */
  reason: string | null;
  /** How long it has waited; reports of earlier versions lack it. */
  waitSeconds?: number;
  nodeHead: number | null;
  /** Pending state by kind. */
  pending: Readonly<Record<string, number>> | null;
  tokens?: TokenMarks | null;
  backfill: { recorded: number } | null;
  traces: { tracer: string | null; reason: string | null };
  [field: string]: unknown;
}

/** Reads the health of the index in one statement. */
export async function getIndexHealth(sql: Queryable): Promise<IndexHealth> {
  const [health] = await sql<[IndexHealth]>`
    SELECT s.chain_id, s.head_number, s.head_hash,
      s.head_timestamp, s.generation, s.traced, s.synchronised, s.lost_rows,
      s.head_number - s.start_block + 1
        - (SELECT coalesce(sum(block_count), 0)::bigint FROM daily_statistics)
        - (SELECT count(*) FROM left_out_blocks WHERE block_number < s.head_number) AS gaps,
      i.status AS indexer,
      abs(extract(epoch FROM now() - i.updated_at))::int AS indexer_age_seconds,
      ${isWritten(sql)} AS written
    FROM (VALUES (true)) AS one (singleton)
    LEFT JOIN sync_state s USING (singleton)
    LEFT JOIN indexer_status i USING (singleton)`;
  return health;
}
