import { address } from "../../params.ts";

/** The token that an action of this module is about. */
export const contractaddress = address({
  required: "Query parameter contract address is required",
  invalid: "Invalid contract address hash",
}).describe("Token contract");
