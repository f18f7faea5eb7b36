import type { Address } from "../core/address.ts";
import { ChainError } from "../core/errors.ts";
import type { AskOptions, BlockReference, StateReader } from "./chain.ts";
import { CONTROL } from "./contract-calls.ts";

const FIRST_REST_MS = 5_000;
const LONGEST_REST_MS = 24 * 3_600_000;

/**
 * Contracts that made a read of state fail. They are left out of the reads for others, so that one that keeps the node
 * busy delays nobody else, and are asked alone now and then.
 */
export interface UnresponsiveContracts {
  all(): Set<Address>;
  /** The contract to ask again now; undefined while all rest. */
  due(): Address | undefined;
  /** Whether it failed when it was asked alone, and is not to be asked now. */
  rests(contract: Address): boolean;
  /**
   * Adds the contracts of a read that failed. One that was asked alone rests, twice as long each time in a row. Of
   * several, each is to be asked alone.
   */
  add(contracts: ReadonlySet<Address>): void;
  delete(contract: Address): void;
}

/** Creates the list; the `known` contracts rest from the start. */
export function createUnresponsiveContracts(known: readonly Address[] = []): UnresponsiveContracts {
  const rests = new Map<Address, { until: number; ms: number }>();
  const contracts: UnresponsiveContracts = {
    all: () => new Set(rests.keys()),
    due() {
      const now = performance.now();
      for (const [contract, { until }] of rests) if (until <= now) return contract;
      return undefined;
    },
    rests: (contract) => (rests.get(contract)?.until ?? 0) > performance.now(),
    add(contracts) {
      for (const contract of contracts) {
        const before = rests.get(contract)?.ms ?? 0;
        const longer = Math.min(Math.max(before * 2, FIRST_REST_MS), LONGEST_REST_MS);
        const ms = contracts.size === 1 ? longer : before;
        // It moves to the end of the order in which they are asked.
        rests.delete(contract);
        rests.set(contract, { until: performance.now() + ms, ms });
      }
    },
    delete: (contract) => rests.delete(contract),
  };
  for (const contract of known) contracts.add(new Set([contract]));
  return contracts;
}

/** Whether the node makes a call that cannot fail: then it is not the node's fault that another one was left unanswered. */
export async function makesCalls(
  chain: Pick<StateReader, "fetchCalls">,
  block: BlockReference,
  ask: AskOptions,
): Promise<boolean> {
  try {
    const [returned] = await chain.fetchCalls([CONTROL], block, ask);
    return returned === CONTROL.data;
  } catch (error) {
    if (error instanceof ChainError) return false;
    throw error;
  }
}
