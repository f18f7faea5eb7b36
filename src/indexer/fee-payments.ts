import type { BlockReference } from "../chain/chain.ts";
import { asUnanswered } from "../core/errors.ts";
import {
  type FeePayment,
  getFeePayment,
  writeFeesFollowed,
} from "../store/addresses/fee-payments.ts";
import { writeAs } from "../store/writer.ts";
import type { Sync } from "./context.ts";

/** One answer may be wrong: so many blocks must tell that fees do not arrive. */
const UNPAID_BLOCKS = 2;
/** Of older blocks many nodes have no balances. */
const RECENT_BLOCKS = 64;
/** Two balances take a node no longer. They must not delay a head. */
const PATIENCE_MS = 3_000;

const UNNAMED =
  "the chain pays fees to accounts that its blocks do not name: the node is asked for coin balances";

/**
 * Creates what finds out whether the fees of a chain arrive where its blocks say, by the newest blocks that tell: it looks at
 * the served head, and at the recent blocks below it, once. Its caller has nothing else to do.
 */
export function createFeeWatch(): (sync: Sync) => Promise<void> {
  let lookedAt: BlockReference | undefined;
  let unpaid = 0;
  return async (sync) => {
    const { head, writer, identity, options } = sync;
    if (!head || head.hash === lookedAt?.hash || !identity.traced) return;
    const seen = Math.min(lookedAt?.number ?? -1, head.number - 1);
    lookedAt = head;
    for (let { number } = head; number > Math.max(seen, head.number - RECENT_BLOCKS); number--) {
      const payment = await getFeePayment(writer.sql, number);
      if (!payment) continue;
      const arrives = payment !== "hidden" && (await doesArrive(sync, payment));
      if (arrives === undefined) return;
      unpaid = arrives ? 0 : unpaid + 1;
      if (!arrives && payment !== "hidden" && unpaid < UNPAID_BLOCKS) continue;
      await writeAs(writer, (transaction) => writeFeesFollowed(transaction, arrives));
      if (!arrives) options.log.info(UNNAMED);
      return;
    }
  };
}

/** Whether a miner has what was paid. Undefined when no node tells. */
async function doesArrive(
  { chain, options }: Sync,
  { number, hash, parentHash, miner, reward }: FeePayment,
): Promise<boolean | undefined> {
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(PATIENCE_MS)]);
  const parent = { number: number - 1, hash: parentHash };
  const balances = await Promise.all([
    chain.fetchCoinBalances([miner], parent, { signal }),
    chain.fetchCoinBalances([miner], { number, hash }, { signal }),
  ]).catch(asUnanswered);
  const [before, after] = (balances ?? []).flat();
  if (before === undefined || after === undefined) return undefined;
  return after - before >= BigInt(reward);
}
