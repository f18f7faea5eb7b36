import type { Chain } from "../chain/chain.ts";
import type { BlockHeader } from "../chain/types.ts";
import { deleteChainRowsAbove } from "../store/chain.ts";
import { getRecordedNumber, isIndexed } from "../store/sync-state.ts";
import { demandWriter } from "../store/writer.ts";
import { beginWithoutTraces, bindChain, reportTraces } from "./binding.ts";
import { buildIndexes, catchUp } from "./catch-up.ts";
import {
  loadHead,
  publishedNumber,
  reportFollowing,
  type Sync,
  type SyncOptions,
} from "./context.ts";
import { indexNext, readPending } from "./follow.ts";
import { type HeadWatch, watchHeads } from "./heads.ts";
import type { Writer } from "./publish.ts";
import { reconcile, reorganise } from "./reconcile.ts";
import { createSilentContracts } from "./silent-contracts.ts";

/** Chain ids of Hardhat's and anvil's networks, and of Ganache and geth --dev. */
const DEVELOPMENT_CHAINS: ReadonlySet<number> = new Set([31_337, 1_337]);

/** Fewer final blocks than this are indexed one by one, with their state. */
const BACKFILL_MINIMUM = 16;
const PENDING_RETRY_MS = 5_000;
/** How long the head may be silent before the node is asked for it. */
const SILENCE_MS = 5_000;

/**
 * Follows the chain as the one writer until the signal is aborted: brings the database in order after whatever
 * happened, backfills, then follows the head. Throws on any trouble; the caller starts again after a pause, and
 * nothing is left half done. `ConfigError` means that starting again does not help.
 */
export async function synchronise(
  chain: Chain,
  writer: Writer,
  options: SyncOptions,
): Promise<void> {
  const { signal, status } = options;
  const { chainId } = await chain.probe({ signal });
  status.chainId = chainId;
  const sync: Sync = {
    chain,
    writer,
    options,
    isDevelopment: options.allowReset || DEVELOPMENT_CHAINS.has(chainId),
    identity: await bindChain(chain, writer, chainId, options),
    head: undefined,
    distrusted: undefined,
    statePostponed: false,
    unheardSince: undefined,
    silent: createSilentContracts(),
  };
  reportTraces(chain, sync.identity, options);
  await recover(sync);
  const ended = new AbortController();
  const listening = AbortSignal.any([signal, ended.signal]);
  try {
    await keepUp(sync, watchHeads(chain, options.pollIntervalMs, listening));
  } finally {
    ended.abort();
  }
}

/** Does what the node's heads ask for until the signal is aborted. */
async function keepUp(sync: Sync, heads: HeadWatch): Promise<void> {
  const { signal, status } = sync.options;
  let nodeHead: BlockHeader = await sync.chain.fetchHead({ signal });
  let pendingRetryAt = 0;
  while (!signal.aborted) {
    status.nodeHead = nodeHead.number;
    const advanced = await advance(sync, nodeHead).catch((error: unknown) =>
      beginWithoutTraces(sync, error),
    );
    let pending: Awaited<ReturnType<typeof readPending>> = "none";
    if (!advanced && performance.now() >= pendingRetryAt) {
      pending = await readPending(sync);
      if (pending === "later") pendingRetryAt = performance.now() + PENDING_RETRY_MS;
    }
    const patienceMs = advanced || pending === "read" ? 0 : SILENCE_MS;
    nodeHead = (await heads.next(patienceMs)) ?? (await fetchTrustedHead(sync));
  }
}

function fetchTrustedHead({ chain, distrusted, options: { signal } }: Sync): Promise<BlockHeader> {
  return chain.fetchHead(distrusted === undefined ? { signal } : { signal, avoid: distrusted });
}

/** Deletes what was begun and not finished, whatever ended the writer before. */
async function recover(sync: Sync): Promise<void> {
  const { sql, epoch } = sync.writer;
  const recordedNumber = (await getRecordedNumber(sql)) ?? sync.identity.startBlock - 1;
  await sql.begin(async (transaction) => {
    await demandWriter(transaction, epoch);
    await deleteChainRowsAbove(transaction, recordedNumber);
  });
  await loadHead(sync);
}

/** Does the next piece of work that the node's head asks for; false when there was none. */
async function advance(sync: Sync, node: BlockHeader): Promise<boolean> {
  const { head, options } = sync;
  const published = publishedNumber(sync);
  const recordedNumber = (await getRecordedNumber(sync.writer.sql)) ?? published;
  const target = node.number - options.finalityDepth;
  if (recordedNumber > published || target - published >= BACKFILL_MINIMUM) {
    // Who was away for long may come back to another chain.
    const same = head && (await sync.chain.fetchHeader(head.number, { signal: options.signal }));
    if (head && same?.hash !== head.hash) return reorganise(sync, head);
    await catchUp(sync, recordedNumber, target);
    return true;
  }
  if (!(await isIndexed(sync.writer.sql))) await buildIndexes(sync);
  if (node.number > published) return indexNext(sync, node);
  if (head && node.hash !== head.hash) return reconcile(sync, head, node);
  reportFollowing(sync);
  return false;
}
