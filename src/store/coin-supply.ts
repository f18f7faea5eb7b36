import { ZERO_ADDRESS } from "../core/address.ts";
import type { Queryable } from "../db/client.ts";

/** The coins in existence, in wei. */
export interface CoinSupply {
  /** Sum of all known balances. */
  total: string;
  /** What the zero address has of it. */
  zeroAddress: string;
  /** False where a balance must be read again, or may have changed without a trace. */
  exact: boolean;
}

/** The supply at the published head; undefined before the first block. */
export async function getCoinSupply(sql: Queryable): Promise<CoinSupply | undefined> {
  const [supply] = await sql<CoinSupply[]>`
    SELECT coin_supply AS total,
      coalesce((SELECT balance FROM addresses WHERE address = ${ZERO_ADDRESS}), 0) AS "zeroAddress",
      traced AND NOT EXISTS (SELECT FROM addresses WHERE balance_block IS NULL) AS exact
    FROM sync_state WHERE head_number IS NOT NULL`;
  return supply;
}
