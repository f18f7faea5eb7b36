import type { Chain } from "../../chain/chain.ts";
import type { AskOptions } from "../../chain/options.ts";
import type { Head } from "../../chain/questions.ts";
import type { BlockHeader } from "../../chain/types.ts";
import { sleep } from "../../core/async.ts";
import { asUnanswered } from "../../core/errors.ts";
import { getBlockReference } from "../../store/blocks/blocks.ts";
import type { ServedHead } from "../../store/sync-state.ts";
import { describeChain } from "../binding.ts";
import { type Distrusted, isReorg, loadHead, readState, type Sync } from "../context.ts";
import { withoutContracts } from "../state/reading.ts";
import { findCommonAncestor, rollBack, startOver } from "./rollback.ts";

// The cases, by the node's chain next to ours (head H, node's head N), and where they are decided:
//
//   1. N > H, and block H+1 has another parent than H: a reorg; the ancestor is below H (`reorganise`).
//   2. N = H with another hash: a reorg, the same.
//   3. N < H with another hash at N: a reorg to a chain that is shorter for now.
//   4. N < H with our hash at N: the node lags (`isBehind`). A development chain that says it has no block H any more
//      (evm_revert, anvil_rollback) is rolled back to N (`returnToShorter`).
//   5. No block in common, the start block included: another chain (`followReset`). A development chain that was reset
//      (anvil_reset, restarted), and a chain whose start block above 0 was not final, is indexed again from its start. Any
//      other chain halts the indexer until the node has our start block again.
//   6. A node among several says 1 to 3 while another one still has our head: the node is on a fork (`mayFollow`).

const HALTED_RETRY_MS = 5_000;
/** How long a reorg waits for unreachable nodes. */
const UNREACHABLE_PATIENCE_MS = 30_000;
/** Shortest interval of reviews of a distrusted node, and the time limit of one. */
const REVIEW_INTERVAL_MS = 1_000;

/** Returns the head to act on. Excludes a distrusted node until it has our head, or leads while the others stall or fail. */
export async function fetchTrustedHead(sync: Sync): Promise<Head> {
  const { chain, distrusted, options } = sync;
  const { signal } = options;
  if (distrusted === undefined) return chain.fetchHead({ signal });
  const head = await chain.fetchHead({ signal, avoid: distrusted.node }).catch(asUnanswered);
  if (head && !(await isRehabilitated(sync, distrusted, head))) return head;
  sync.distrusted = undefined;
  return chain.fetchHead({ signal });
}

/** Returns the header at a number from a trusted node; null when that node lacks it. */
export function fetchTrustedHeader(
  { chain, distrusted, options: { signal } }: Sync,
  number: number,
): Promise<BlockHeader | null> {
  return chain.fetchHeader(number, {
    signal,
    ...(distrusted && { avoid: distrusted.node }),
  });
}

async function isRehabilitated(
  { chain, head: ours, options }: Sync,
  distrusted: Distrusted,
  others: BlockHeader,
): Promise<boolean> {
  const now = performance.now();
  if (!ours || now - distrusted.reviewedAt < REVIEW_INTERVAL_MS) return false;
  distrusted.reviewedAt = now;
  const patience = AbortSignal.timeout(REVIEW_INTERVAL_MS);
  const ask = { node: distrusted.node, signal: AbortSignal.any([options.signal, patience]) };
  const answer = await fetchBoth(chain, ours.number, ask).catch(asUnanswered);
  if (!answer) return false;
  const isAhead = others.number <= ours.number && answer.head.number > others.number;
  return answer.header?.hash === ours.hash || isAhead;
}

/** Returns the header at a number, null when the node lacks it, and the node's head. */
async function fetchBoth(chain: Chain, number: number, ask: AskOptions) {
  const [header, head] = await Promise.all([chain.fetchHeader(number, ask), chain.fetchHead(ask)]);
  return { header, head };
}

/** Handles a node's head that is neither above ours nor ours. Returns whether the database changed. */
export async function reconcile(sync: Sync, ours: ServedHead, node: BlockHeader): Promise<boolean> {
  return (await isBehind(sync, ours, node))
    ? returnToShorter(sync, ours, node)
    : reorganise(sync, ours);
}

/** Returns whether the node's head is one of our blocks below our head (case 4). */
async function isBehind({ writer }: Sync, ours: ServedHead, node: BlockHeader): Promise<boolean> {
  if (node.number >= ours.number) return false;
  const known = await getBlockReference(writer.sql, node.number);
  return known?.hash === node.hash;
}

/** Rolls back to the head of a development chain that removed our head. Returns false where the node only lags. */
async function returnToShorter(sync: Sync, ours: ServedHead, node: BlockHeader): Promise<boolean> {
  const { chain, options } = sync;
  if (!sync.isDevelopment) return false;
  const confirmed = await chain.fetchHead({ signal: options.signal });
  const above = await chain.fetchHeader(ours.number, {
    node: confirmed.node,
    signal: options.signal,
  });
  if (confirmed.hash !== node.hash || above !== null) return false;
  await returnTo(sync, ours, node.number);
  return true;
}

/** Rolls back to the common ancestor, or starts over with a new chain. False when it may not or need not. */
export async function reorganise(sync: Sync, ours: ServedHead): Promise<boolean> {
  const node = await sync.chain.fetchHead({ signal: sync.options.signal });
  if (await isBehind(sync, ours, node)) return returnToShorter(sync, ours, node);
  if (!(await mayFollow(sync, node, ours))) return false;
  // A reset development chain has no common ancestor to search for.
  if (sync.isDevelopment && (await followReset(sync, ours))) return true;
  const from = Math.min(ours.number, node.number);
  const ancestor = await findCommonAncestor(sync, node.node, from);
  if (ancestor === null) return followReset(sync, ours);
  if (ancestor === ours.number) return false;
  await returnTo(sync, ours, ancestor);
  return true;
}

async function returnTo(sync: Sync, ours: ServedHead, ancestor: number): Promise<void> {
  const { log, status } = sync.options;
  const depth = ours.number - ancestor;
  log.info({ from: ours.number, to: ancestor, depth }, "the chain was reorganised");
  await rollBack(sync.writer, ours, ancestor, async (keys, block) => {
    try {
      const asked = withoutContracts(keys, sync.unresponsive.all());
      return await readState(sync, asked, block, { isUrgent: true });
    } catch (error) {
      // The ancestor is being replaced, too. The state is read later.
      if (isReorg(error)) return undefined;
      throw error;
    }
  });
  status.reorgs = {
    count: status.reorgs.count + 1,
    deepest: Math.max(status.reorgs.deepest, depth),
  };
  await loadHead(sync);
}

/** Returns whether to follow a node that left our chain (case 6): not at once, nor while another at least as long has our head. */
async function mayFollow(sync: Sync, suspect: Head, ours: ServedHead): Promise<boolean> {
  const { chain, options } = sync;
  sync.distrusted = undefined;
  let unreachable = false;
  for (const node of chain.nodes.filter((name) => name !== suspect.node)) {
    const ask = { node, signal: options.signal };
    const answer = await fetchBoth(chain, ours.number, ask).catch(asUnanswered);
    unreachable ||= !answer;
    if (answer?.header?.hash !== ours.hash || answer.head.number < suspect.number) continue;
    options.log.warn(
      { node: suspect.node, other: node },
      "node is on a fork that another node lacks",
    );
    sync.distrusted = { node: suspect.node, reviewedAt: performance.now() };
    return false;
  }
  if (!unreachable) {
    sync.unreachableSince = undefined;
    return true;
  }
  sync.unreachableSince ??= performance.now();
  return performance.now() - sync.unreachableSince > UNREACHABLE_PATIENCE_MS;
}

/** Handles a node's chain without a common block. Returns true when a development or never final chain is indexed again. */
async function followReset(sync: Sync, ours: ServedHead): Promise<boolean> {
  const { chain, identity, isDevelopment, options } = sync;
  const current = await describeChain(chain, identity.chainId, options);
  if (current.genesisHash === identity.genesisHash) return false;
  const depth = ours.number - identity.startBlock;
  const isYoung = identity.startBlock > 0 && depth < options.finalityDepth;
  if (isDevelopment || isYoung) {
    options.log.info(
      { depth },
      "the chain was replaced from its first indexed block on: indexing it from the start",
    );
    await startOver(sync.writer, current);
    sync.identity = current;
    sync.agreement.begin({ proven: [], isDevelopment });
    await loadHead(sync);
    return true;
  }
  const reason =
    `the node has another block ${current.startBlock} than this database: nothing is written until it has ours again ` +
    "(ALLOW_RESET=1 would index the new chain instead)";
  options.status.phase = "halted";
  options.status.reason = reason;
  options.log.error(reason);
  await sleep(HALTED_RETRY_MS, options.signal);
  return false;
}
