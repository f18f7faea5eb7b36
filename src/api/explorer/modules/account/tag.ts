import { isQuantity } from "../../../../core/evm/quantity.ts";
import type { Queryable } from "../../../../db/client.ts";
import type { Context } from "../../action.ts";
import { type Failure, failed, type Outcome } from "../../envelope.ts";
import { askOnce } from "../../forwarding.ts";
import { atBlock, NO_HISTORY, type PastBlock } from "../../from-node/history.ts";
import { text } from "../../params.ts";

/** The state of a balance; undefined for the current one. */
export type BalanceTag = "earliest" | "safe" | "finalized" | `0x${string}` | undefined;

const INVALID_TAG = "Invalid tag format";
const CURRENT = new Set(["", "latest", "pending"]);

/** `tag` of the balances, in Etherscan's dialect. Source: docs/wire.md, "Balances at a block". */
export const tag = text({ invalid: INVALID_TAG })
  .regex(/^(?:|latest|pending|earliest|safe|finalized|0x0*[0-9a-fA-F]{1,64})$/, INVALID_TAG)
  .transform((value): BalanceTag => (CURRENT.has(value) ? undefined : (value as BalanceTag)))
  .optional()
  .describe("`latest`, `pending`, `earliest`, `safe`, `finalized`, or a block's number in hex");

/** As `atBlock`, for the block of a tag. A block above the head is an invalid tag. */
export async function atTag<Found, Result>(
  context: Context,
  asked: NonNullable<BalanceTag>,
  query: (sql: Queryable) => Promise<Found | Failure>,
  answer: (block: PastBlock, found: Found) => Promise<Outcome<Result>>,
): Promise<Outcome<Result>> {
  const number = await numberOf(context, asked);
  if (number === undefined) return failed("state-unavailable", NO_HISTORY);
  return atBlock(context, number, query, answer, "tag");
}

/** Returns the number of a tag's block. Only the node has those of `safe` and `finalized`; undefined where it does not. */
async function numberOf(
  { chain }: Context,
  asked: NonNullable<BalanceTag>,
): Promise<number | undefined> {
  if (asked === "earliest") return 0;
  if (isQuantity(asked)) return Math.min(Number.parseInt(asked, 16), Number.MAX_SAFE_INTEGER);
  const block = await askOnce(chain, "eth_getBlockByNumber", asked, false);
  const { number } = (block ?? {}) as { number?: unknown };
  return isQuantity(number) ? Number.parseInt(number, 16) : undefined;
}
