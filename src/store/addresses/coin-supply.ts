import { ZERO_ADDRESS } from "../../core/address.ts";
import type { Queryable } from "../../db/client.ts";

/** The coins in existence, in wei. */
export interface CoinSupply {
  /** Sum of all known balances. */
  total: string;
  /** What the zero address has of it. */
  zeroAddress: string;
  /** A balance must be read again. */
  pending: boolean;
  /** False where balances may have changed unseen. */
  traced: boolean;
}

/** The supply at the published head; undefined before the first block. */
export async function getCoinSupply(sql: Queryable): Promise<CoinSupply | undefined> {
  const [supply] = await sql<CoinSupply[]>`
    SELECT coalesce((SELECT total FROM coin_supply), 0) AS total,
      coalesce((SELECT balance FROM addresses WHERE address = ${ZERO_ADDRESS}), 0) AS zero_address,
      EXISTS (SELECT FROM addresses WHERE balance_block IS NULL) AS pending, traced
    FROM sync_state WHERE head_number IS NOT NULL`;
  return supply;
}
