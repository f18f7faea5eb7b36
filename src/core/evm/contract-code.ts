import { type Hex, hexLength } from "./hex.ts";

/** A prefix of 23 bytes that are the delegation of an account, not a contract (EIP-7702). */
const DELEGATION = "0xef0100";

/** Returns whether the code of an address is a contract's. */
export function isContractCode(code: Hex): boolean {
  return code !== "0x" && !(code.startsWith(DELEGATION) && hexLength(code) === 23);
}
