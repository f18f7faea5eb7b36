import type { Address } from "../../../core/evm/address.ts";
import { getToken, type Token } from "../../../store/state/tokens/token.ts";
import type { ServedHead } from "../../../store/sync-state.ts";
import type { Context } from "../action.ts";
import { answered } from "./answered.ts";

/** A token, and the head that it was read at. */
export interface TokenAtHead {
  token: Token;
  head: ServedHead;
}

/** The token of an address; undefined without a published transfer. */
export function readToken({ read }: Context, address: Address): Promise<TokenAtHead | undefined> {
  return read(async (sql, head) => {
    const token = await getToken(sql, address);
    return token && { token, head: await head };
  }, "one statement");
}

/** Total supply of a token in its smallest unit at that head; null when its contract does not tell it. */
export async function fetchTotalSupply(
  { chain }: Pick<Context, "chain">,
  { token, head }: TokenAtHead,
): Promise<string | null> {
  if (!token.supplyPending) return token.totalSupply;
  const [supply] = await chain.fetchTotalSupplies([token.address], head);
  return answered(supply)?.toString() ?? null;
}
