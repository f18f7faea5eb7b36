import type { BlockReference } from "../../chain/chain.ts";
import type { Address } from "../../core/address.ts";
import type { Queryable } from "../../db/client.ts";
import { getHolding, listTokenIds } from "../../store/token-balances/holdings.ts";
import type { Context } from "../action.ts";
import { type Outcome, ok } from "../envelope.ts";
import { answered } from "./answered.ts";
import { READABLE_BALANCES, stillReading } from "./holdings.ts";

/** Ids that the owner has had of a token that is kept by id; undefined for a token that is not. */
export async function listHeldIds(
  sql: Queryable,
  token: Address,
  owner: Address,
): Promise<string[] | undefined> {
  const holding = await getHolding(sql, token, owner);
  return holding?.standard === 1155
    ? listTokenIds(sql, token, owner, READABLE_BALANCES + 1)
    : undefined;
}

/**
 * What the owner held of a token after a block, as its contract tells it; the sum of several ids. Throws `RequestError`
 * when too many would have to be read.
 */
export async function readHoldingAt(
  { chain }: Pick<Context, "chain">,
  { token, owner }: { token: Address; owner: Address },
  block: BlockReference,
  ids: readonly string[] | undefined,
): Promise<Outcome<string>> {
  if (ids && ids.length > READABLE_BALANCES) throw stillReading();
  const queries = ids ? ids.map((id) => ({ token, owner, id: BigInt(id) })) : [{ token, owner }];
  const amounts = queries.length > 0 ? await chain.fetchTokenBalances(queries, block) : [];
  return ok(String(amounts.reduce<bigint>((sum, amount) => sum + (answered(amount) ?? 0n), 0n)));
}
