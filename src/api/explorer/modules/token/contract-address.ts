import { address } from "../../params.ts";

/** The token of an action of this module. */
export const contractaddress = address({
  required: "Query parameter contract address is required",
  invalid: "Invalid contract address hash",
}).describe("Token contract");
