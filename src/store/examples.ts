import type { Address } from "../core/address.ts";
import type { Queryable } from "../db/client.ts";

/** Addresses that have something to show; each null where the chain has none. */
export interface Examples {
  /** Sender of the newest transaction. */
  account: Address | null;
  /** Some ERC-20 token with holders. */
  token: Address | null;
}

/** Addresses for requests that a person may try. */
export async function getExamples(sql: Queryable): Promise<Examples> {
  const [examples] = await sql<Examples[]>`
    SELECT
      (SELECT from_address FROM transactions
       WHERE block_number <= head_number
       ORDER BY block_number DESC, transaction_index DESC LIMIT 1) AS account,
      (SELECT address FROM tokens
       WHERE standard = 20 AND holder_count > 0 AND first_block <= head_number LIMIT 1) AS token
    FROM sync_state`;
  return examples ?? { account: null, token: null };
}
