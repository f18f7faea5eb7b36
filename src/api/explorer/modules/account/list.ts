import type { z } from "zod";
import type { Address } from "../../../../core/evm/address.ts";
import { isQuantity } from "../../../../core/evm/quantity.ts";
import type { Queryable } from "../../../../db/client.ts";
import type { Parties, Side } from "../../../../store/lists/parties.ts";
import type { Context } from "../../action.ts";
import { type Failure, failed, type Outcome } from "../../envelope.ts";
import { askOnce } from "../../forwarding.ts";
import { atBlock, NO_HISTORY, type PastBlock } from "../../from-node/accounts.ts";
import {
  address,
  blockBounds,
  listMissing,
  MAXIMUM_OFFSET,
  paging,
  sort,
  text,
} from "../../params.ts";

// Common parts of this module's lists. Source: docs/wire.md, "Lists of an account".

export const allRows = paging(MAXIMUM_OFFSET);

/** Parameters of a list in chain order. */
export const listing = { ...allRows, sort, ...blockBounds };

export const ADDRESS_REQUIRED = "Query parameter 'address' is required";
export const ADDRESS_HASH = { required: ADDRESS_REQUIRED, invalid: "Invalid address hash" };
export const ADDRESS_FORMAT = { required: ADDRESS_REQUIRED, invalid: "Invalid address format" };

export const tokenContract = address({ invalid: "Invalid contractaddress format" }).describe(
  "Token contract",
);

export const NO_TRANSACTIONS = "No transactions found";

// Etherscan's advanced filter of the lists: sender and receiver of the entries. Source: docs/wire.md, "Lists by both parties".

const COMBINED = "address cannot be combined with from or to";
const INVALID_OPERATOR = "Invalid fromto_opr format";

const parameters = {
  from: address({ invalid: "Invalid from format" })
    .optional()
    .describe("Sender, instead of `address`"),
  to: address({ invalid: "Invalid to format" })
    .optional()
    .describe("Receiver, instead of `address`"),
  fromto_opr: text({ invalid: INVALID_OPERATOR })
    .optional()
    .describe("With both `from` and `to`: whether both must match (`and`) or one (`or`)"),
};

type Given = {
  from?: Address | undefined;
  to?: Address | undefined;
  fromto_opr?: string | undefined;
};

/** Adds `from` and `to` to the parameters of a list by address; they replace the address. */
export function withParties<Shape extends z.ZodRawShape>(list: z.ZodObject<Shape>) {
  const schema = list.extend({
    ...parameters,
    address: address(ADDRESS_FORMAT).optional().describe("Account; not needed with `from` or `to`"),
  });
  return schema.check((context) => {
    const given = context.value as Given & { address?: Address };
    const { from, to, fromto_opr: operator } = given;
    const refuse = (name: string, message: string) =>
      context.issues.push({ code: "custom", path: [name], message, input: given });
    if ((from ?? to) === undefined) return;
    if (given.address !== undefined) refuse("address", COMBINED);
    else if (from === undefined || to === undefined) return;
    else if (operator === undefined) refuse("fromto_opr", listMissing(["fromto_opr"]));
    else if (!/^(?:and|or)$/i.test(operator)) refuse("fromto_opr", INVALID_OPERATOR);
  });
}

/** Returns the parties of a list: `from` and `to`, else an address and its side; undefined without any. */
export function toParty(input: {
  address?: Address | undefined;
  filter_by?: Side | undefined;
}): { parties: Parties } | { address: Address; side: Side | undefined } | undefined {
  const { from, to, fromto_opr: operator = "" } = input as Given;
  if ((from ?? to) !== undefined) {
    return { parties: { from, to, operator: operator.toLowerCase() === "or" ? "or" : "and" } };
  }
  const { address: party, filter_by: side } = input;
  return party === undefined ? undefined : { address: party, side };
}

/** The state of a balance; undefined for the current one. */
type BalanceTag = "earliest" | "safe" | "finalized" | `0x${string}` | undefined;

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
  const number = await resolveTag(context, asked);
  if (number === undefined) return failed("state-unavailable", NO_HISTORY);
  return atBlock(context, number, query, answer, "tag");
}

/** Returns the number of a tag's block; the node resolves `safe` and `finalized`. Undefined if the node lacks the block. */
async function resolveTag({ chain }: Context, asked: NonNullable<BalanceTag>) {
  if (asked === "earliest") return 0;
  if (isQuantity(asked)) return Math.min(Number.parseInt(asked, 16), Number.MAX_SAFE_INTEGER);
  const block = await askOnce(chain, "eth_getBlockByNumber", asked, false);
  const { number } = (block ?? {}) as { number?: unknown };
  return isQuantity(number) ? Number.parseInt(number, 16) : undefined;
}
