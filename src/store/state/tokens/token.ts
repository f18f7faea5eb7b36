import type { Address } from "../../../core/evm/address.ts";
import { firstRow, type Queryable } from "../../../db/client.ts";
import type { TokenStandard } from "../../lists/token-transfers.ts";

/** A token in the index. */
export interface Token {
  address: Address;
  standard: TokenStandard;
  name: string | null;
  symbol: string | null;
  decimals: number | null;
  /** True if name, symbol and decimals were read from the contract. */
  cataloged: boolean;
  /** In the smallest unit; null when the contract has none. */
  totalSupply: string | null;
  /** The block of the supply's last read; null while pending. */
  supplyBlock: number | null;
  /** The block of the last read of name, symbol and decimals; null while pending. */
  metadataBlock: number | null;
  /** The number of owners with an amount above 0, by the stored holdings. */
  holderCount: number;
}

/** Returns the token of an address; undefined when no transfer of it is indexed. */
export function getToken(sql: Queryable, address: Address) {
  return firstRow(sql<Token[]>`
    SELECT address, standard, name, symbol, decimals, metadata_block IS NOT NULL AS cataloged,
      total_supply, supply_block, metadata_block, holder_count
    FROM tokens WHERE address = ${address}`);
}
