import type { Address } from "../core/evm/address.ts";
import type { Hex } from "../core/evm/hex.ts";
import type { Queryable } from "../db/client.ts";
import { inPublishedBlocks } from "./lists/page.ts";

/** Subjects of example requests; null where the chain has none. */
export interface Examples {
  /** The newest transaction. */
  transaction: Hex | null;
  /** Its sender. */
  account: Address | null;
  /** An ERC-20 token with holders. */
  token: Address | null;
}

/** Returns subjects of example requests. */
export async function getExamples(sql: Queryable): Promise<Examples> {
  const [examples] = await sql<Examples[]>`
    WITH newest AS MATERIALIZED (
      SELECT hash, from_address FROM transactions
      WHERE ${inPublishedBlocks(sql)}
      ORDER BY block_number DESC, transaction_index DESC LIMIT 1
    )
    SELECT
      newest.hash AS transaction, newest.from_address AS account,
      (SELECT address FROM tokens
       WHERE standard = 20 AND holder_count > 0 AND first_block <= head_number LIMIT 1) AS token
    FROM sync_state
    LEFT JOIN newest ON true`;
  return examples ?? { transaction: null, account: null, token: null };
}
