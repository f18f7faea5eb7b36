import type { Chain } from "../chain/chain.ts";
import type { HeadWatch } from "../chain/questions.ts";
import { createUnresponsiveContracts } from "../chain/state/unresponsive-contracts.ts";
import type { BlockHeader } from "../chain/types.ts";
import { ChainError } from "../core/errors.ts";
import { listUnresponsiveTokens } from "../store/state/tokens/unresponsive.ts";
import { getIndexState, listProvenParts } from "../store/sync-state.ts";
import { deleteChainRowsAbove } from "../store/writer/chain.ts";
import { analyzeUnknownTables } from "../store/writer/deferred-indexes.ts";
import { finishTransactions } from "../store/writer/recorded-rows.ts";
import { listRecordedTables } from "../store/writer/transaction-hashes.ts";
import { writeAs } from "../store/writer/writer.ts";
import { createPauses } from "./backoff.ts";
import {
  beginWithoutTraces,
  bindChain,
  lacksStartBlock,
  lookForTracers,
  reportTraces,
} from "./binding.ts";
import { buildIndexes, catchUp, tablesOfChain } from "./catch-up.ts";
import type { Agreement } from "./checks/agreement.ts";
import {
  isReorg,
  loadHead,
  publishedNumber,
  reportFollowing,
  type Sync,
  type SyncOptions,
} from "./context.ts";
import { watchFirstSynchronisation } from "./first-synchronisation.ts";
import { indexNext, readPending } from "./follow.ts";
import { createAuditor } from "./maintenance/audit.ts";
import { createEarlierFees, createEarlierTraces } from "./maintenance/earlier-blocks.ts";
import { createEarlierDelegations } from "./maintenance/earlier-delegations.ts";
import { createFeeWatch } from "./maintenance/fee-payments.ts";
import { replaceIndexes } from "./maintenance/index-builds.ts";
import { createTokenSweep } from "./maintenance/token-sweep.ts";
import { requireKept, type Writer, watchServers } from "./publish.ts";
import { createLagWatch } from "./reorg/lagging.ts";
import { fetchTrustedHead, fetchTrustedHeader, reconcile, reorganise } from "./reorg/reconcile.ts";

/** Chain ids of Hardhat's and anvil's networks, and of Ganache and geth --dev. */
const DEVELOPMENT_CHAINS: ReadonlySet<number> = new Set([31_337, 1_337]);
/** Development nodes use any chain's id, above all as forks. */
const DEVELOPMENT_NODES = /^(?:anvil|hardhat|edr|ganache)/i;

/** Fewer missing final blocks than this are indexed one by one, with their state. */
const BACKFILL_MINIMUM = 16;
const PENDING_RETRY_MS = 5_000;
/** Silence after which the node is polled, where several nodes may differ, and where one is alone. */
const SILENCE_MS = 5_000;
const LONE_SILENCE_MS = 15_000;

/** Follows the chain as the one writer until aborted. Throws permanent failures; only `ConfigError` forbids a restart. */
export async function synchronise(
  chain: Chain,
  writer: Writer,
  options: SyncOptions,
  agreement: Agreement,
): Promise<void> {
  const { signal, status } = options;
  // A thread keeps its chain: another id is then the node's fault, not one of the settings.
  const { chainId, clientVersion } = await chain.probe({
    signal,
    ...(status.chainId !== null && { chainId: status.chainId }),
  });
  const sync: Sync = {
    chain,
    writer,
    options,
    agreement,
    isDevelopment:
      options.allowReset ||
      DEVELOPMENT_CHAINS.has(chainId) ||
      DEVELOPMENT_NODES.test(clientVersion),
    identity: await bindChain(chain, writer, chainId, options),
    recordedTables: await listRecordedTables(writer),
    head: undefined,
    distrusted: undefined,
    statePostponed: false,
    unreachableSince: undefined,
    refusedSince: undefined,
    lacking: undefined,
    unresponsive: createUnresponsiveContracts(await listUnresponsiveTokens(writer.sql)),
  };
  status.chainId = chainId;
  agreement.begin({
    proven: await listProvenParts(writer.sql),
    isDevelopment: sync.isDevelopment,
  });
  reportTraces(chain, sync.identity, options);
  await analyzeUnknownTables(writer.sql, tablesOfChain(sync));
  await recover(sync);
  const ended = new AbortController();
  const listening = AbortSignal.any([signal, ended.signal]);
  const replacing = replaceIndexes(sync, listening);
  try {
    await keepUp(
      sync,
      chain.watchHeads({ pollIntervalMs: options.pollIntervalMs, signal: listening }),
    );
  } finally {
    ended.abort();
    await replacing;
  }
}

/** Acts on heads until aborted. Waits out a failing node here, without a new start; a changed chain is looked at again. Throws the rest. */
async function keepUp(sync: Sync, heads: HeadWatch): Promise<void> {
  const { signal, status } = sync.options;
  const pauseAfter = createPauses(sync);
  const noteStep = watchFirstSynchronisation(sync);
  const auditWhenDue = createAuditor(sync.options.auditIntervalMs);
  const lookAtFees = createFeeWatch();
  const steps = [
    createTokenSweep(),
    createEarlierFees(),
    createEarlierTraces(),
    createEarlierDelegations(),
  ];
  const findNewerHead = createLagWatch();
  let nodeHead: BlockHeader | null = null;
  let pendingRetryAt = 0;
  let isInOrder = true;
  while (!signal.aborted) {
    try {
      if (!isInOrder) {
        await lookForTracers(sync);
        await recover(sync);
      }
      isInOrder = true;
      // The announcement may come from the distrusted node.
      if (sync.distrusted !== undefined) nodeHead = null;
      nodeHead = (await findNewerHead(sync)) ?? nodeHead ?? (await fetchTrustedHead(sync));
      status.nodeHead = nodeHead.number;
      const advanced = await advance(sync, nodeHead).catch((error: unknown) =>
        beginWithoutTraces(sync, error),
      );
      if (advanced) sync.refusedSince = undefined;
      await noteStep(nodeHead.number);
      let pending: Awaited<ReturnType<typeof readPending>> = "none";
      if (!advanced && performance.now() >= pendingRetryAt) {
        pending = await readPending(sync);
        if (pending === "later") pendingRetryAt = performance.now() + PENDING_RETRY_MS;
      }
      if (!advanced) await watchServers(sync.writer);
      if (!advanced && pending === "none") {
        // The audit comes first: it reports a difference that the sweep would repair.
        await auditWhenDue(sync, heads.isWaiting);
        for (const step of steps) if (pending === "none") pending = await step(sync);
        await lookAtFees(sync);
      }
      nodeHead = await heads.next(patience(sync, nodeHead, advanced ? "read" : pending));
    } catch (error) {
      const isWaitedOut = error instanceof ChainError && (error.retryable || isReorg(error));
      if (!isWaitedOut || signal.aborted) throw error;
      await pauseAfter(error);
      isInOrder = false;
      nodeHead = null;
    }
  }
}

/** Returns how long to wait for the node's next head. */
function patience(
  { chain, distrusted, head, options, unresponsive }: Sync,
  node: BlockHeader,
  work: Awaited<ReturnType<typeof readPending>>,
): number {
  if (work === "read") return 0;
  // Heads of the other nodes may not be announced.
  if (distrusted !== undefined) return options.pollIntervalMs;
  // Work may be left for this head, and another may not come.
  if (head?.hash !== node.hash) return options.pollIntervalMs;
  const isCalm = work === "none" && unresponsive.all().size === 0 && chain.status().length === 1;
  return Math.min(isCalm ? LONE_SILENCE_MS : SILENCE_MS, options.auditIntervalMs);
}

/** Deletes the unfinished work of the last writer. */
async function recover(sync: Sync): Promise<void> {
  const { sql, isDistributed } = sync.writer;
  if (isDistributed) await finishTransactions(sql);
  await requireKept(sync.writer);
  const { recordedNumber } = (await getIndexState(sql)) ?? {};
  const last = recordedNumber ?? sync.identity.startBlock - 1;
  await writeAs(sync.writer, (transaction) => deleteChainRowsAbove(transaction, last));
  await loadHead(sync);
  // A database without a published block is bound to the node's chain.
  if (!sync.head) {
    const { chain, writer, identity, options, agreement, isDevelopment } = sync;
    sync.identity = await bindChain(chain, writer, identity.chainId, options);
    if (sync.identity.genesisHash !== identity.genesisHash)
      agreement.begin({ proven: [], isDevelopment });
  }
}

/** Does the next step for the node's head. Returns false when there is none. */
async function advance(sync: Sync, node: BlockHeader): Promise<boolean> {
  const { head, options } = sync;
  const published = publishedNumber(sync);
  const state = await getIndexState(sync.writer.sql);
  const recordedNumber = state?.recordedNumber ?? published;
  const target = node.number - options.finalityDepth;
  if (recordedNumber > published || target - published >= BACKFILL_MINIMUM) {
    // After a long absence the node may have another chain.
    const same = head && (await fetchTrustedHeader(sync, head.number));
    if (head && same?.hash !== head.hash) return reorganise(sync, head);
    await catchUp(sync, recordedNumber, target);
    // The chain may leave out all numbers up to the target.
    if (options.signal.aborted || publishedNumber(sync) > published) return true;
  }
  if (state?.indexed === false) await buildIndexes(sync);
  if (node.number > published) return indexNext(sync, node);
  if (!head) throw lacksStartBlock(sync.identity.startBlock);
  if (node.hash !== head.hash) return reconcile(sync, head, node);
  reportFollowing(sync);
  return false;
}
