import type { Queryable } from "../../../db/client.ts";
import { type CoinSupply, getCoinSupply } from "../../../store/addresses/coin-supply.ts";
import { type Failure, failed } from "../../envelope.ts";
import { stillReading } from "../../live/holdings.ts";

const NOT_FOLLOWED =
  "The coin supply is not known: without internal transactions, or with fees that no block names, balances change unseen";

/**
 * Answers from the coin supply at the served head; fails where balances change unseen. Throws `RequestError`
 * while balances are still to be read.
 */
export async function withCoinSupply<Answer>(
  sql: Queryable,
  answer: (supply: CoinSupply) => Answer | Promise<Answer>,
): Promise<Answer | Failure> {
  const supply = await getCoinSupply(sql);
  if (supply && !supply.followed) return failed(NOT_FOLLOWED);
  if (!supply || supply.pending) throw stillReading();
  return answer(supply);
}
