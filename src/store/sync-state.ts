import type { Hex } from "../core/hex.ts";
import type { Queryable } from "../db/client.ts";

/** The published head: the newest block that answers may speak of. */
export interface ServedHead {
  number: number;
  hash: Hex;
  timestampSeconds: number;
  /** Counts roll-backs. */
  generation: number;
}

/** The published head; undefined before the first block is. */
export async function getServedHead(sql: Queryable): Promise<ServedHead | undefined> {
  const [head] = await sql<ServedHead[]>`
    SELECT head_number AS number, head_hash AS hash, head_timestamp AS "timestampSeconds", generation
    FROM sync_state WHERE head_number IS NOT NULL`;
  return head;
}

/** False while the first load runs without its secondary indexes: only the head can be asked then. */
export async function isIndexed(sql: Queryable): Promise<boolean> {
  const [state] = await sql<{ indexed: boolean }[]>`SELECT indexed FROM sync_state`;
  return state?.indexed ?? true;
}
