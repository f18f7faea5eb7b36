import { hash } from "../../params.ts";

/** The transaction that an action of this module is about. */
export const txhash = hash({
  required: "Query parameter txhash is required",
  invalid: "Invalid txhash format",
}).describe("Transaction");
