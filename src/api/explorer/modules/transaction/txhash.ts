import { hash } from "../../params.ts";

/** The transaction of an action of this module. */
export const txhash = hash({
  required: "Query parameter txhash is required",
  invalid: "Invalid txhash format",
}).describe("Transaction");
