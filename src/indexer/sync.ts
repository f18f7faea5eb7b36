import type { BaseLogger } from "pino";
import type { BlockReference, Chain, Head, NodeName } from "../chain/chain.ts";
import type { BlockHeader, FetchedBlock } from "../chain/types.ts";
import { sleep } from "../core/async.ts";
import { ChainError, ConfigError, messageOf } from "../core/errors.ts";
import { getBlockReference } from "../store/blocks.ts";
import { deleteChainRowsAbove, encodeChainRows, findGap } from "../store/chain.ts";
import {
  buildDeferredIndex,
  deferIndexes,
  listDeferredIndexes,
} from "../store/deferred-indexes.ts";
import {
  type ChainIdentity,
  getChainIdentity,
  getRecordedNumber,
  getServedHead,
  isIndexed,
  markIndexed,
  type ServedHead,
  writeChainIdentity,
  writeRecordedNumber,
} from "../store/sync-state.ts";
import { demandWriter } from "../store/writer.ts";
import { timeStage } from "../telemetry/metrics.ts";
import { backfill } from "./backfill.ts";
import { decodeBlocks } from "./decode/block.ts";
import { fetchValidBlocks } from "./fetch.ts";
import { type HeadWatch, watchHeads } from "./heads.ts";
import { publish, record, type Writer } from "./publish.ts";
import { findCommonAncestor, rollBack, startOver } from "./rollback.ts";
import {
  countKeys,
  fetchState,
  listPendingKeys,
  listTouchedKeys,
  type StateKeys,
  type StateValues,
  writeState,
} from "./state.ts";
import type { IndexerStatus } from "./status.ts";

export interface SyncOptions {
  /** First block to be indexed. */
  startBlock: number;
  /** The only chain to be indexed, if given. */
  chainId: number | undefined;
  /** Blocks this far below the node's head are taken for final and backfilled many at a time. */
  finalityDepth: number;
  pollIntervalMs: number;
  /** Follow a new genesis also on chains that are no development chains. */
  allowReset: boolean;
  log: Pick<BaseLogger, "info" | "warn" | "error">;
  signal: AbortSignal;
  /** Kept up to date by the synchronisation. */
  status: IndexerStatus;
}

/** Chain ids of Hardhat's and anvil's networks, and of Ganache and geth --dev. */
const DEVELOPMENT_CHAINS: ReadonlySet<number> = new Set([31_337, 1_337]);

/** Fewer final blocks than this are indexed one by one, with their state. */
const BACKFILL_MINIMUM = 16;
/** An empty database that is to be filled with more blocks than this gets its secondary indexes afterwards. */
const DEFERRED_INDEX_MINIMUM = 5_000;
const BACKFILL_LANES = 4;
const PUBLISH_INTERVAL_MS = 2_000;
/** Blocks applied to the state in one transaction. */
const PUBLISH_BLOCKS = 2_000;
/** Blocks fetched at once close to the head. */
const HEAD_BLOCKS = 16;
/** State reads of one batch once the head is reached. */
const PENDING_READS = 500;
const PENDING_RETRY_MS = 5_000;
/** How long the head may be silent before the node is asked for it. */
const SILENCE_MS = 5_000;
const HALTED_RETRY_MS = 5_000;
/** How long a reorg waits for the word of nodes that cannot be reached. */
const UNHEARD_PATIENCE_MS = 30_000;

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
  const { sql } = writer;
  const { log, signal, status } = options;

  const probe = await chain.probe({ signal });
  status.chainId = probe.chainId;
  if (options.chainId !== undefined && probe.chainId !== options.chainId) {
    throw new ConfigError(
      `the node serves chain ${probe.chainId}, but CHAIN_ID asks for ${options.chainId}`,
    );
  }
  const isDevelopment = options.allowReset || DEVELOPMENT_CHAINS.has(probe.chainId);
  let identity = await identify();
  let head: ServedHead | undefined;
  /** A node that contradicted another one which still has our head. */
  let distrusted: NodeName | undefined;
  /** Since when a reorg waits for nodes that cannot be asked about it. */
  let unheardSince: number | undefined;
  let pendingRetryAt = 0;
  await recover();
  const heads: HeadWatch = watchHeads(chain, options.pollIntervalMs, signal);
  let nodeHead: BlockHeader = await chain.fetchHead({ signal });

  while (!signal.aborted) {
    status.nodeHead = nodeHead.number;
    const again = await advance(nodeHead);
    if (again) {
      nodeHead = (await heads.next(0)) ?? (await fetchTrustedHead());
    } else if (await readPending()) {
      nodeHead = (await heads.next(0)) ?? nodeHead;
    } else {
      nodeHead = (await heads.next(SILENCE_MS)) ?? (await fetchTrustedHead());
    }
  }

  function fetchTrustedHead(): Promise<BlockHeader> {
    return chain.fetchHead(distrusted === undefined ? { signal } : { signal, avoid: distrusted });
  }

  /** The chain this database is bound to; an empty one is bound to the node's. */
  async function identify(): Promise<ChainIdentity> {
    const known = await getChainIdentity(sql);
    const { capabilities } = probe;
    status.traces = {
      tracer: known && !known.traced ? null : capabilities.tracer,
      reason:
        known && !known.traced
          ? "the database was begun without traces; index into an empty one to have them"
          : capabilities.tracerReason,
    };
    if (!known) return bind();
    if (known.chainId !== probe.chainId) {
      throw new ConfigError(
        `the database holds chain ${known.chainId}, the node serves chain ${probe.chainId}; ` +
          "give another DATABASE_SCHEMA, DATABASE_URL or DATA_DIR for it",
      );
    }
    if (known.startBlock !== options.startBlock) {
      throw new ConfigError(
        `the database was begun with START_BLOCK=${known.startBlock}; keep it, or begin an empty database`,
      );
    }
    return known;
  }

  async function bind(): Promise<ChainIdentity> {
    const bound = await describeChain();
    await writeChainIdentity(sql, bound);
    return bound;
  }

  async function describeChain(): Promise<ChainIdentity> {
    const { startBlock } = options;
    const genesis = await chain.fetchHeader(startBlock, { signal });
    if (!genesis) {
      throw new ChainError("block-missing", `the node has no block ${startBlock} yet`, {
        retryable: true,
      });
    }
    const traced = chain.capabilities().tracer !== null;
    return { chainId: probe.chainId, startBlock, genesisHash: genesis.hash, traced };
  }

  /** Deletes what was begun and not finished, whatever ended the writer before. */
  async function recover(): Promise<void> {
    const recordedNumber = (await getRecordedNumber(sql)) ?? identity.startBlock - 1;
    await sql.begin(async (transaction) => {
      await demandWriter(transaction, writer.epoch);
      await deleteChainRowsAbove(transaction, recordedNumber);
    });
    await loadHead();
  }

  async function loadHead(): Promise<void> {
    head = await getServedHead(sql);
    status.head = head?.number ?? null;
  }

  /** Does the next piece of work that the node's head asks for; false when there is none. */
  async function advance(node: BlockHeader): Promise<boolean> {
    const recordedNumber = (await getRecordedNumber(sql)) ?? identity.startBlock - 1;
    const published = head?.number ?? identity.startBlock - 1;
    const target = node.number - options.finalityDepth;
    if (recordedNumber > published || target - published >= BACKFILL_MINIMUM) {
      await catchUp(published, recordedNumber, target);
      return true;
    }
    if (!(await isIndexed(sql))) await buildIndexes();
    if (node.number > published) return indexNext(published + 1, node);
    if (head && node.hash !== head.hash) return reconcile(head, node);
    follow();
    return false;
  }

  function follow(): void {
    status.phase = "following";
    status.reason = null;
  }

  /** Records what is missing up to the finalised target, many blocks at a time, and publishes it. */
  async function catchUp(published: number, recordedNumber: number, target: number): Promise<void> {
    if (
      !head &&
      recordedNumber < identity.startBlock &&
      target - published > DEFERRED_INDEX_MINIMUM
    ) {
      log.info("first load: secondary indexes are built after it");
      await sql.begin(async (transaction) => {
        await demandWriter(transaction, writer.epoch);
        await deferIndexes(transaction);
      });
    }
    const indexed = await isIndexed(sql);
    if (target > recordedNumber) {
      const range = { from: recordedNumber + 1, to: target };
      const started = performance.now();
      let noted = started;
      status.phase = "backfilling";
      await backfill(chain, writer, {
        range,
        traced: identity.traced,
        lanes: BACKFILL_LANES,
        signal,
        async onRecorded(number) {
          const elapsedSeconds = (performance.now() - started) / 1_000;
          const blocksPerSecond = (number - recordedNumber) / elapsedSeconds;
          status.backfill = {
            ...range,
            recorded: number,
            blocksPerSecond,
            secondsLeft: (target - number) / blocksPerSecond,
          };
          if (number < target && performance.now() - noted < PUBLISH_INTERVAL_MS) return;
          noted = performance.now();
          await writeRecordedNumber(sql, number);
          if (indexed) await publishTo(number);
        },
      });
      if (signal.aborted) return;
    }
    if (!indexed) await buildIndexes();
    const end = await getRecordedNumber(sql);
    if (end !== null) await publishTo(end);
    status.backfill = null;
  }

  /** Publishes recorded blocks up to a number, after the proof that they are whole and continue the head. */
  async function publishTo(number: number): Promise<void> {
    for (let from = (head?.number ?? identity.startBlock - 1) + 1; from <= number; ) {
      const range = { from, to: Math.min(number, from + PUBLISH_BLOCKS - 1) };
      const gap = await findGap(sql, range, head?.hash ?? null);
      if (gap !== null) {
        await writeRecordedNumber(sql, null);
        throw new ChainError("inconsistent-chain", `what was recorded is no chain: ${gap}`, {
          retryable: true,
        });
      }
      await publish(writer, range, null);
      await loadHead();
      from = range.to + 1;
    }
  }

  async function buildIndexes(): Promise<void> {
    status.phase = "indexing";
    for (const name of await listDeferredIndexes(sql)) {
      if (signal.aborted) return;
      await buildDeferredIndex(sql, name);
    }
    await markIndexed(sql);
  }

  /** Indexes the next blocks up to the node's head one by one, each with the state it touched. */
  async function indexNext(next: number, node: BlockHeader): Promise<boolean> {
    const { blocks } = await fetchValidBlocks(chain, {
      from: next,
      to: Math.min(node.number, next + HEAD_BLOCKS - 1),
      traced: identity.traced,
      avoid: distrusted,
      metrics: writer.metrics,
    });
    for (const fetched of blocks) {
      if (signal.aborted) return false;
      if (head && fetched.block.parentHash !== head.hash) {
        return reorganise(head);
      }
      await indexBlock(fetched);
    }
    return blocks.length > 0;
  }

  async function indexBlock(fetched: FetchedBlock): Promise<void> {
    await record(writer, encodeChainRows(decodeBlocks([fetched])), 1);
    const block = { number: Number(fetched.block.number), hash: fetched.block.hash };
    const range = { from: block.number, to: block.number };
    const keys = await listTouchedKeys(sql, range);
    let values: StateValues | null = null;
    try {
      values = await readState(keys, block);
    } catch (error) {
      if (!(error instanceof ChainError) || isReplaced(error)) throw error;
      log.warn({ block: block.number }, `state is read later: ${error.message}`);
    }
    await publish(writer, range, values);
    await loadHead();
    follow();
  }

  /** The node's head is ours at a lower number, or another block at our number or below (rollback.ts has the cases). */
  async function reconcile(ours: ServedHead, node: BlockHeader): Promise<boolean> {
    const known = await getBlockReference(sql, node.number);
    if (known?.hash !== node.hash) return reorganise(ours);
    if (!isDevelopment) return false;
    const confirmed = await chain.fetchHead({ signal });
    const above = await chain.fetchHeader(ours.number, { node: confirmed.node, signal });
    if (confirmed.hash !== node.hash || above !== null) return false;
    await returnTo(ours, node.number);
    return true;
  }

  /** Rolls back to the common ancestor with the node's chain, or starts over with a new chain; false when it may not. */
  async function reorganise(ours: ServedHead): Promise<boolean> {
    const node = await chain.fetchHead({ signal });
    if (!(await mayFollow(node, ours))) return false;
    const ancestor = await findCommonAncestor(chain, writer, {
      node: node.node,
      from: Math.min(ours.number, node.number),
      startBlock: identity.startBlock,
    });
    if (ancestor === null) return followReset();
    if (ancestor === ours.number) return false;
    await returnTo(ours, ancestor);
    return true;
  }

  async function returnTo(ours: ServedHead, ancestor: number): Promise<void> {
    const depth = ours.number - ancestor;
    log.info({ from: ours.number, to: ancestor, depth }, "the chain was reorganised");
    await rollBack(chain, writer, ours, ancestor);
    status.reorgs = {
      count: status.reorgs.count + 1,
      deepest: Math.max(status.reorgs.deepest, depth),
    };
    await loadHead();
  }

  /**
   * Whether a node that left our chain is to be followed (rollback.ts, case 6): not while another one still has our head
   * and is no shorter, and for a while not without hearing the others.
   */
  async function mayFollow(suspect: Head, ours: ServedHead): Promise<boolean> {
    distrusted = undefined;
    let unheard = false;
    for (const node of chain.nodes.filter((name) => name !== suspect.node)) {
      try {
        const [header, head] = await Promise.all([
          chain.fetchHeader(ours.number, { node, signal }),
          chain.fetchHead({ node, signal }),
        ]);
        if (header?.hash !== ours.hash || head.number < suspect.number) continue;
        log.warn(
          { node: suspect.node, other: node },
          "a node is on a fork that another does not know",
        );
        distrusted = suspect.node;
        return false;
      } catch (error) {
        if (!(error instanceof ChainError)) throw error;
        unheard = true;
      }
    }
    if (!unheard) {
      unheardSince = undefined;
      return true;
    }
    unheardSince ??= performance.now();
    return performance.now() - unheardSince > UNHEARD_PATIENCE_MS;
  }

  /** The node's chain has another start block than ours. */
  async function followReset(): Promise<boolean> {
    const current = await describeChain();
    if (current.genesisHash === identity.genesisHash) return false;
    if (isDevelopment) {
      log.info("the development chain was reset: indexing it anew");
      await startOver(writer, current);
      identity = current;
      await loadHead();
      return true;
    }
    status.phase = "halted";
    status.reason =
      `the node has another block ${current.startBlock} than this database: nothing is written until it has ours ` +
      "again (ALLOW_RESET=1 would index the new chain instead)";
    log.error(status.reason);
    await sleep(HALTED_RETRY_MS, signal);
    return false;
  }

  function readState(keys: StateKeys, block: BlockReference): Promise<StateValues> {
    return timeStage(writer.metrics, "state", () => fetchState(chain, keys, block));
  }

  /** Reads a batch of the state that is still to be read; false when there is none, or it cannot be read now. */
  async function readPending(): Promise<boolean> {
    if (!head || performance.now() < pendingRetryAt) return false;
    const keys = await listPendingKeys(sql, PENDING_READS);
    if (countKeys(keys) === 0) return false;
    const block = { number: head.number, hash: head.hash };
    try {
      const values = await readState(keys, block);
      await sql.begin(async (transaction) => {
        await demandWriter(transaction, writer.epoch);
        await writeState(transaction, values);
      });
      return true;
    } catch (error) {
      if (!(error instanceof ChainError) || isReplaced(error)) throw error;
      log.warn(`state cannot be read now: ${messageOf(error)}`);
      pendingRetryAt = performance.now() + PENDING_RETRY_MS;
      return false;
    }
  }
}

/** The block whose state was asked for is not part of the node's chain (any more). */
function isReplaced(error: ChainError): boolean {
  return error.code === "block-replaced" || error.code === "block-unknown";
}
