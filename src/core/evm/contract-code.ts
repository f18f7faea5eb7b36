import { type Hex, hexLength } from "./hex.ts";

/** 23 bytes that begin with this are the delegation of an account, not a contract (EIP-7702). */
const DELEGATION = "0xef0100";

/** Whether the code of an address is that of a contract. */
export function isContractCode(code: Hex): boolean {
  return code !== "0x" && !(code.startsWith(DELEGATION) && hexLength(code) === 23);
}
