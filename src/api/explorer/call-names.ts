import type { Address } from "../../core/evm/address.ts";
import { type Hex, hexLength, hexSlice } from "../../core/evm/hex.ts";
import type { Queryable } from "../../db/client.ts";
import { listMethodNames } from "../../store/contracts/verified/method-names.ts";
import type { TransactionEntry } from "../../store/lists/address-transactions.ts";
import { readL1Fees } from "../../store/lists/l1-fees.ts";
import type { ServedHead } from "../../store/sync-state.ts";

/** Fields that identify the called function. */
export interface Call {
  /** Null for a creation. */
  to: Address | null;
  input: Hex;
}

/** The called function by a verified ABI. */
export interface CallName {
  /** `0x` and 8 hex digits. */
  selector: Hex;
  /** `transfer(address to, uint256 amount)` */
  functionName: string;
}

const SELECTOR_BYTES = 4;

/** Returns the first four bytes of a call's data; undefined for a creation and for shorter data. */
export function selectorOf({ to, input }: Call): Hex | undefined {
  return to !== null && hexLength(input) >= SELECTOR_BYTES
    ? hexSlice(input, 0, SELECTOR_BYTES)
    : undefined;
}

/** An entry of a list of transactions, or of their transfers. */
export interface Calling {
  mayBeNamed: boolean;
}

/** An entry with the called function; undefined without an ABI for it. */
export type Named<Entry> = Entry & { call: CallName | undefined };

/** Adds the names of called functions by verified ABIs. `callOf` returns an entry's call; `sql` is the snapshot of the entries. */
export async function nameCalls<Entry extends Calling>(
  sql: Queryable,
  entries: readonly Entry[],
  callOf: (entry: Entry) => Call,
): Promise<Named<Entry>[]> {
  const calls = entries.map((entry) => {
    if (!entry.mayBeNamed) return undefined;
    const { to, input } = callOf(entry);
    const selector = selectorOf({ to, input });
    return to !== null && selector !== undefined
      ? { key: to + selector, address: to, selector }
      : undefined;
  });
  // Each call is looked up once, however often it occurs.
  const distinct = new Map(calls.flatMap((call) => (call ? [[call.key, call] as const] : [])));
  const names = distinct.size > 0 ? await listMethodNames(sql, [...distinct.values()]) : [];
  const nameOf = new Map([...distinct.keys()].map((key, index) => [key, names[index]]));
  return entries.map((entry, index) => {
    const call = calls[index];
    const functionName = call && nameOf.get(call.key);
    const name = functionName ? { selector: call.selector, functionName } : undefined;
    return { ...entry, call: name };
  });
}

/** A transaction in a list, with the parts that only Etherscan's dialect shows. */
export interface ListedTransaction extends TransactionEntry {
  call?: CallName | undefined;
  /** Only on chains with L1 fees. */
  l1Fee?: string;
}

/** Adds the parts that only Etherscan's dialect shows. */
export async function completeTransactions(
  sql: Queryable,
  rows: readonly TransactionEntry[],
  served: PromiseLike<ServedHead>,
): Promise<ListedTransaction[]> {
  const named = await nameCalls(sql, rows, (row) => row);
  const l1FeeOf = await readL1Fees(sql, rows, (await served).l1FeesFrom);
  return l1FeeOf ? named.map((row) => ({ ...row, l1Fee: l1FeeOf(row) })) : named;
}
