import { address } from "../../params.ts";

/** The contract whose source is asked for. */
export const sourceAddress = address({
  required: "Query parameter address is required",
  invalid: "Invalid address hash",
}).describe("Contract");
