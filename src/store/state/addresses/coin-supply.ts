import { ZERO_ADDRESS } from "../../../core/evm/address.ts";
import { firstRow, type Queryable } from "../../../db/client.ts";
import { areBalancesFollowed } from "./fee-payments.ts";

/** The coin supply, in wei. */
export interface CoinSupply {
  total: string;
  zeroAddress: string;
  /** True if a balance is pending. */
  pending: boolean;
  /** True if the index covers all changes of balances. */
  followed: boolean;
}

/** Returns the supply at the published head; undefined before the first block. */
export function getCoinSupply(sql: Queryable) {
  return firstRow(sql<CoinSupply[]>`
    SELECT coalesce((SELECT total FROM coin_supply), 0) AS total,
      coalesce((SELECT balance FROM addresses WHERE address = ${ZERO_ADDRESS}), 0) AS zero_address,
      EXISTS (SELECT 1 FROM addresses WHERE balance_block IS NULL) AS pending,
      ${areBalancesFollowed(sql)} AS followed
    FROM sync_state WHERE head_number IS NOT NULL`);
}
