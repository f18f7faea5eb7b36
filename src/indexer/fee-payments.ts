import { ChainError } from "../core/errors.ts";
import {
  type FeePayment,
  getFeePayment,
  writeFeesFollowed,
} from "../store/addresses/fee-payments.ts";
import type { ServedHead } from "../store/sync-state.ts";
import { writeAs } from "../store/writer.ts";
import type { Sync } from "./context.ts";

/** One answer may be wrong: so many blocks must tell that fees do not arrive. */
const UNPAID_BLOCKS = 2;
/** Two balances take a node no longer. They must not delay a head. */
const PATIENCE_MS = 3_000;

/** Finds out whether the fees of a chain arrive where its blocks say, by the first blocks at the head that tell. */
export interface FeeWatch {
  /** Looks at the served head, once. The caller has nothing else to do. */
  look(sync: Sync): Promise<void>;
}

/** Creates the watch of one synchronisation. */
export function createFeeWatch(): FeeWatch {
  let lookedAt: string | undefined;
  let unpaid = 0;
  return {
    async look(sync) {
      const { head, writer, identity, options } = sync;
      if (!head || head.hash === lookedAt || !identity.traced) return;
      lookedAt = head.hash;
      const payment = await getFeePayment(writer.sql, head.number);
      if (!payment) return;
      const arrives = payment !== "hidden" && (await doesArrive(sync, head, payment));
      if (arrives === undefined) return;
      unpaid = arrives ? 0 : unpaid + 1;
      if (!arrives && payment !== "hidden" && unpaid < UNPAID_BLOCKS) return;
      await writeAs(writer, (transaction) => writeFeesFollowed(transaction, arrives));
      if (arrives) return;
      options.log.info(
        "the chain pays fees to accounts that its blocks do not name: the node is asked for coin balances",
      );
    },
  };
}

/** Whether a miner has what was paid. Undefined when no node tells. */
async function doesArrive(
  { chain, options }: Sync,
  head: ServedHead,
  { miner, parentHash, reward }: FeePayment,
): Promise<boolean | undefined> {
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(PATIENCE_MS)]);
  const parent = { number: head.number - 1, hash: parentHash };
  try {
    const [before, after] = await Promise.all([
      chain.fetchCoinBalances([miner], parent, { signal }),
      chain.fetchCoinBalances([miner], head, { signal }),
    ]);
    return (after[0] as bigint) - (before[0] as bigint) >= BigInt(reward);
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    return undefined;
  }
}
