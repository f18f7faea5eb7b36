import { asUnanswered } from "../../core/errors.ts";
import type { Address } from "../../core/evm/address.ts";
import type { AskOptions } from "../options.ts";
import type { BlockReference } from "../questions.ts";
import { CONTROL } from "./contract-calls.ts";
import type { StateReader } from "./state.ts";

const FIRST_REST_MS = 5_000;
const LONGEST_REST_MS = 24 * 3_600_000;
const SHORTEST_PATIENCE_MS = 500;
const LONGEST_PATIENCE_MS = 5_000;
/** Most contracts that can be asked alone, one after the other, in acceptable time. */
const CROWD = 50;

/** See `createUnresponsiveContracts`. */
export type UnresponsiveContracts = ReturnType<typeof createUnresponsiveContracts>;

/** Keeps the contracts that stall reads; the `known` ones are suspended from the start. They are read alone, to delay no other. */
export function createUnresponsiveContracts(known: readonly Address[] = []) {
  const rests = new Map<Address, { until: number; ms: number }>();
  let patienceMs = LONGEST_PATIENCE_MS;

  /** Adds the contracts of a failed read: several are due alone at once; one is suspended, twice as long each time. */
  function add(contracts: ReadonlySet<Address>): void {
    const isNews = [...contracts].some((contract) => !rests.has(contract));
    if (isNews) patienceMs = Math.max(patienceMs / 2, SHORTEST_PATIENCE_MS);
    for (const contract of contracts) {
      const before = rests.get(contract)?.ms ?? 0;
      const longer = Math.min(Math.max(before * 2, FIRST_REST_MS), LONGEST_REST_MS);
      const ms = contracts.size === 1 ? longer : before;
      // Moves it to the end of the queue.
      rests.delete(contract);
      rests.set(contract, { until: performance.now() + ms, ms });
    }
  }

  for (const contract of known) add(new Set([contract]));

  return {
    all: (): Set<Address> => new Set(rests.keys()),
    /** Returns the contract to retry now, those that failed in a group first; undefined while all are suspended. */
    due(): Address | undefined {
      const now = performance.now();
      const due = [...rests].filter(([, { until }]) => until <= now);
      return due.toSorted(([, one], [, other]) => one.ms - other.ms)[0]?.[0];
    },
    /** Returns the time limit of a read: for several contracts failures halve and successes double it, for one it grows with its suspension. */
    patienceMs(contracts: ReadonlySet<Address>): number {
      const [contract] = contracts;
      const rest = contracts.size === 1 && contract ? rests.get(contract) : undefined;
      return rest
        ? Math.min(Math.max(rest.ms / 5, SHORTEST_PATIENCE_MS), LONGEST_PATIENCE_MS)
        : patienceMs;
    },
    /** Records that contracts answered: a success, unless some had failed before. */
    noteAnswered(contracts: ReadonlySet<Address>): void {
      const isSuccess = contracts.size > 0 && ![...contracts].some((one) => rests.has(one));
      if (isSuccess) patienceMs = Math.min(patienceMs * 2, LONGEST_PATIENCE_MS);
    },
    /** Returns the contracts waiting to be asked alone when they exceed `CROWD`; else none. */
    crowd(): Address[] {
      const waiting = [...rests].flatMap(([contract, { ms }]) => (ms === 0 ? [contract] : []));
      return waiting.length > CROWD ? waiting : [];
    },
    /** Returns whether it failed when asked alone, and is still suspended. */
    rests: (contract: Address): boolean => (rests.get(contract)?.until ?? 0) > performance.now(),
    add,
    delete: (contract: Address): boolean => rests.delete(contract),
  };
}

/** Returns whether the node makes a call that cannot fail: then an unanswered call is not the node's fault. */
export async function makesCalls(
  chain: Pick<StateReader, "fetchCalls">,
  block: BlockReference,
  ask: AskOptions,
): Promise<boolean> {
  const returned = await chain.fetchCalls([CONTROL], block, ask).catch(asUnanswered);
  return returned?.[0] === CONTROL.data;
}
