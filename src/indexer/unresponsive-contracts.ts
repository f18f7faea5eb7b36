import type { Address } from "../core/address.ts";

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
  /**
   * Adds the contracts of a read that failed. One that was asked alone rests, twice as long each time in a row. Of
   * several, each is to be asked alone.
   */
  add(contracts: ReadonlySet<Address>): void;
  delete(contract: Address): void;
}

export function createUnresponsiveContracts(): UnresponsiveContracts {
  const rests = new Map<Address, { until: number; ms: number }>();
  return {
    all: () => new Set(rests.keys()),
    due() {
      const now = performance.now();
      for (const [contract, { until }] of rests) if (until <= now) return contract;
      return undefined;
    },
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
}
