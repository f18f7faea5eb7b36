import type { Address } from "../core/address.ts";
import { type Hex, hexLength, hexSlice } from "../core/hex.ts";
import type { Queryable } from "../db/client.ts";
import { listMethodNames } from "../store/verified-contracts.ts";

/** What decides which function a transaction calls. */
export interface Call {
  /** Null for a creation. */
  to: Address | null;
  input: Hex;
}

/** What a transaction calls, as a verified ABI tells. */
export interface CallName {
  /** `0x` and 8 hex digits. */
  selector: Hex;
  /** `transfer(address to, uint256 amount)` */
  functionName: string;
}

const SELECTOR_BYTES = 4;

/** The first four bytes of a call's data; undefined for a creation and for shorter data. */
export function selectorOf({ to, input }: Call): Hex | undefined {
  return to !== null && hexLength(input) >= SELECTOR_BYTES
    ? hexSlice(input, 0, SELECTOR_BYTES)
    : undefined;
}

/**
 * Names of what the transactions call, from the verified ABIs of their receivers and of what these delegate to;
 * undefined where none knows the selector. Each call is looked up once, however often it occurs.
 */
export async function listCallNames(
  sql: Queryable,
  transactions: readonly Call[],
): Promise<(CallName | undefined)[]> {
  const calls = transactions.map(({ to, input }) => {
    const selector = selectorOf({ to, input });
    return to !== null && selector !== undefined ? { address: to, selector } : undefined;
  });
  const keyOf = ({ address, selector }: { address: Address; selector: Hex }) => address + selector;
  const distinct = new Map(calls.flatMap((call) => (call ? [[keyOf(call), call] as const] : [])));
  const names = await listMethodNames(sql, [...distinct.values()]);
  const nameOf = new Map([...distinct.keys()].map((key, index) => [key, names[index]]));
  return calls.map((call) => {
    const functionName = call && nameOf.get(keyOf(call));
    return call && functionName ? { selector: call.selector, functionName } : undefined;
  });
}
