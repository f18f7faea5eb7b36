import type { Token } from "../../store/token-facts.ts";
import type { Services } from "../action.ts";
import { atServedHead } from "../served-head.ts";

/** Total supply of a token in its smallest unit at the served head; null when its contract does not tell. */
export async function readTotalSupply(
  { sql, chain }: Services,
  token: Token,
): Promise<string | null> {
  if (!token.supplyPending) return token.totalSupply;
  const [supply] = await atServedHead(sql, (head) =>
    chain.fetchTotalSupplies([token.address], head),
  );
  return supply?.toString() ?? null;
}
