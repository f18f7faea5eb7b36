import type { AskOptions, NodeName } from "../../chain/options.ts";
import type { Head } from "../../chain/questions.ts";
import { asUnanswered } from "../../core/errors.ts";
import type { ServedHead } from "../../store/sync-state.ts";
import type { Sync } from "../context.ts";

/** Interval of the checks, longer than a block's propagation. */
const INTERVAL_MS = 5_000;
/** Time limit of a check, which asks all nodes at once. */
const PATIENCE_MS = 500;

/** Creates the check whether the followed node stays behind another: then distrusts it and returns the other's head. */
export function createLagWatch(): (sync: Sync) => Promise<Head | undefined> {
  let lookedAt = performance.now();
  let seen = new Map<NodeName, number>();

  return async (sync) => {
    const { chain, head: ours, distrusted, options } = sync;
    const usable = chain.status().filter((node) => node.usable);
    if (!ours || usable.length < 2 || performance.now() - lookedAt < INTERVAL_MS) return undefined;
    lookedAt = performance.now();
    const ask = { signal: AbortSignal.any([options.signal, AbortSignal.timeout(PATIENCE_MS)]) };
    const avoid = distrusted && { avoid: distrusted.node };
    const [followed, ...heads] = await Promise.all([
      chain.fetchHead({ ...ask, ...avoid }).catch(asUnanswered),
      ...usable.map(({ node }) => headAbove(sync, ours, { ...ask, node })),
    ]);
    if (!followed) return undefined;
    const newer = heads.find((head) => (seen.get(head?.node ?? "") ?? 0) > followed.number);
    seen = new Map(heads.flatMap((head) => (head ? [[head.node, head.number]] : [])));
    if (!newer) return undefined;
    options.log.warn(
      { node: followed.node, other: newer.node },
      "node lags behind another one; following the other",
    );
    sync.distrusted = { node: followed.node, reviewedAt: performance.now() };
    return newer;
  };
}

/** Returns the node's head when it is above ours, on the same chain. */
async function headAbove({ chain }: Sync, ours: ServedHead, ask: AskOptions) {
  const [head, same] = await Promise.all([
    chain.fetchHead(ask).catch(asUnanswered),
    chain.fetchHeader(ours.number, ask).catch(asUnanswered),
  ]);
  return head && head.number > ours.number && same?.hash === ours.hash ? head : undefined;
}
