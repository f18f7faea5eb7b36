import type { Order } from "../../../../store/lists/page.ts";
import type { Dialect } from "../../envelope.ts";
import { address, blockBounds, MAXIMUM_OFFSET, offset, page, sort } from "../../params.ts";

// What the lists of this module have in common. Source: docs/wire.md, "Lists of an account".

export const paging = { page, offset: offset(MAXIMUM_OFFSET) };

/** Parameters of a list in the order of the chain. */
export const listing = { ...paging, sort, ...blockBounds };

export const ADDRESS_REQUIRED = "Query parameter 'address' is required";
export const ADDRESS_HASH = { required: ADDRESS_REQUIRED, invalid: "Invalid address hash" };
export const ADDRESS_FORMAT = { required: ADDRESS_REQUIRED, invalid: "Invalid address format" };

export const tokenContract = address({ invalid: "Invalid contractaddress format" }).describe(
  "Token contract",
);

export const NO_TRANSACTIONS = "No transactions found";

/** Without `sort` the reference lists the newest first, Etherscan the oldest. */
export function orderOf(asked: Order | undefined, dialect: Dialect): Order {
  return asked ?? (dialect === "etherscan" ? "asc" : "desc");
}
