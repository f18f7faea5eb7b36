import type { Address } from "../../../core/evm/address.ts";
import type { Queryable } from "../../../db/client.ts";
import { getHolding, listHeldIds } from "../../../store/state/token-balances/holdings.ts";
import type { Context } from "../action.ts";
import { failed, type Outcome, ok } from "../envelope.ts";
import { answered } from "./answered.ts";
import type { PastBlock } from "./history.ts";
import { READABLE_BALANCES, stillReading } from "./holdings.ts";

/** Returns the ids that the owner has had of a token with ids; undefined for a token without. */
export async function listIdsOf(
  sql: Queryable,
  token: Address,
  owner: Address,
): Promise<string[] | undefined> {
  const known = await getHolding(sql, token, owner);
  if (known?.standard !== 1155) return undefined;
  const held = await listHeldIds(sql, token, owner, READABLE_BALANCES + 1);
  return held.flatMap(({ tokenId }) => tokenId ?? []);
}

/** Error text for holdings of ids that the index lacks. */
const IDS_UNKNOWN = "The ids that were held before the first indexed block are not known";
/** Error text for a contract without an answer: its transfers may be incomplete. */
export const UNTOLD = "The contract does not tell what was held";

/** Returns a holding after a block as the contract reports it, the sum of several ids. Throws `RequestError` when there are too many. */
export async function readHoldingAt(
  { chain }: Pick<Context, "chain">,
  { token, owner }: { token: Address; owner: Address },
  block: PastBlock,
  ids: readonly string[] | undefined,
): Promise<Outcome<string>> {
  if (ids && !block.isIndexed) return failed("state-unavailable", IDS_UNKNOWN);
  if (ids && ids.length > READABLE_BALANCES) throw stillReading();
  const queries = ids ? ids.map((id) => ({ token, owner, id: BigInt(id) })) : [{ token, owner }];
  const amounts = queries.length > 0 ? await chain.fetchTokenBalances(queries, block) : [];
  // One that is silent may be kept by id.
  if (amounts.includes(null))
    return failed("state-unavailable", block.isIndexed ? UNTOLD : IDS_UNKNOWN);
  return ok(String(amounts.reduce<bigint>((sum, amount) => sum + (answered(amount) ?? 0n), 0n)));
}
