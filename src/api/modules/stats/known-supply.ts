import type { Queryable } from "../../../db/client.ts";
import { type CoinSupply, getCoinSupply } from "../../../store/addresses/coin-supply.ts";
import { type Failure, failed } from "../../envelope.ts";
import { stillReading } from "../../live/holdings.ts";

const UNTRACED = "The coin supply is not known: internal transactions are not indexed";

/**
 * Answers from the coin supply at the served head; fails where it is unknown without traces. Throws `RequestError`
 * while balances are still to be read.
 */
export async function withCoinSupply<Answer>(
  sql: Queryable,
  answer: (supply: CoinSupply) => Answer | Promise<Answer>,
): Promise<Answer | Failure> {
  const supply = await getCoinSupply(sql);
  if (supply && !supply.traced) return failed(UNTRACED);
  if (!supply || supply.pending) throw stillReading();
  return answer(supply);
}
