import { address } from "../../params.ts";

/** The contract of the requested source. */
export const sourceAddress = address({
  required: "Query parameter address is required",
  invalid: "Invalid address hash",
}).describe("Contract");
