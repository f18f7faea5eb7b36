import type { RpcCall } from "../../../../../chain/options.ts";
import { isQuantity, quantity } from "../../../../../core/evm/quantity.ts";
import type { Queryable } from "../../../../../db/client.ts";
import type { Context } from "../../../action.ts";
import { type Outcome, ok } from "../../../envelope.ts";
import type { BlockTag } from "../arguments.ts";
import { forward } from "../forward.ts";

/** A number that no block has. */
const BEYOND = Number.MAX_SAFE_INTEGER;

/** Returns what `query` finds for a tag's block, null above the head. The node gets `call` for `pending` and unindexed blocks. */
export async function ofIndexedBlock<Result>(
  context: Context,
  tag: BlockTag,
  query: (sql: Queryable, blockNumber: number) => Promise<{ result: Result } | undefined>,
  call: (tag: BlockTag) => RpcCall,
): Promise<Outcome<Result | null>> {
  if (tag === "pending") return forward(context, call(tag));
  const named = await findNumber(context, tag);
  if (named.kind !== "ok") return named;
  const { number, found } = await context.read(async (sql, served) => {
    const head = (await served).number;
    const wanted = named.result ?? head;
    return { number: wanted, found: wanted > head ? { result: null } : await query(sql, wanted) };
  });
  return found ? ok(found.result) : forward(context, call(quantity(number)));
}

/** Returns the number of a tag's block; undefined for the served head. The node resolves `safe` and `finalized`. */
async function findNumber(
  context: Context,
  tag: Exclude<BlockTag, "pending">,
): Promise<Outcome<number | undefined>> {
  if (tag !== "safe" && tag !== "finalized") return ok(numberOf(tag));
  const call = { method: "eth_getBlockByNumber", params: [tag, false] };
  const outcome = await forward<{ number?: unknown } | null>(context, call);
  if (outcome.kind !== "ok") return outcome;
  const number = outcome.result?.number;
  return ok(isQuantity(number) ? numberOf(number) : BEYOND);
}

/** Returns the number of a tag's block; undefined for the served head. */
export function numberOf(
  tag: Exclude<BlockTag, "pending" | "safe" | "finalized">,
): number | undefined {
  if (tag === "latest") return undefined;
  return tag === "earliest" ? 0 : Math.min(Number.parseInt(tag, 16), BEYOND);
}
