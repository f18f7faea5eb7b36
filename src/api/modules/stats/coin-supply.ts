import type { Queryable } from "../../../db/client.ts";
import { type CoinSupply, getCoinSupply } from "../../../store/coin-supply.ts";

const UNKNOWN: CoinSupply = { total: "0", zeroAddress: "0", exact: false };

/** The coin supply at the served head; the wire has 0 for "not known". */
export async function knownCoinSupply(sql: Queryable): Promise<CoinSupply> {
  const supply = await getCoinSupply(sql);
  return supply?.exact ? supply : UNKNOWN;
}
