import type { BlockReference } from "../../chain/questions.ts";
import { asUnanswered } from "../../core/errors.ts";
import { type FeePayment, getFeePayment } from "../../store/state/addresses/fee-payments.ts";
import { updateIndexState } from "../../store/sync-state.ts";
import type { Sync } from "../context.ts";

/** Blocks needed to show that fees do not arrive: one answer may be wrong. */
const UNPAID_BLOCKS = 2;
/** Blocks below the head to check: many nodes lack older balances. */
const RECENT_BLOCKS = 64;
/** Time limit of reading two balances, so that they do not delay a head. */
const PATIENCE_MS = 3_000;

const UNNAMED =
  "the chain pays fees to accounts that its blocks do not name: the node is asked for coin balances";

/** Creates the function that checks, at one head, whether the chain's fees reach the accounts in its blocks. */
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
      await updateIndexState(writer, { fees_followed: arrives });
      if (!arrives) options.log.info(UNNAMED);
      return;
    }
  };
}

/** Returns whether a miner has received the fees. Undefined when no node answers. */
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
