import type { Chain } from "../chain/chain.ts";
import { ChainError, PublicConfigError } from "../core/errors.ts";
import type { Hex } from "../core/evm/hex.ts";
import { hasPublishedTransactions } from "../store/lists/transactions.ts";
import { type ChainIdentity, getIndexState, getServedHead } from "../store/sync-state.ts";
import { loadHead, type Sync, type SyncOptions } from "./context.ts";
import type { Writer } from "./publish.ts";
import { startOver } from "./reorg/rollback.ts";

/** How long all tracers must refuse before they count as missing. */
const REFUSAL_PATIENCE_MS = 30_000;

/** Returns the database's chain, binding an empty one to the node's. Throws `ConfigError` when they differ. */
export async function bindChain(
  chain: Chain,
  writer: Writer,
  chainId: number,
  options: SyncOptions,
): Promise<ChainIdentity> {
  if (options.chainId !== undefined && chainId !== options.chainId) {
    throw new PublicConfigError(
      `the node serves chain ${chainId}, but CHAIN_ID asks for ${options.chainId}`,
    );
  }
  const { sql } = writer;
  const known = await getIndexState(sql);
  if (!known) {
    const bound = await describeChain(chain, chainId, options);
    await startOver(writer, bound);
    return bound;
  }
  if (known.chainId !== chainId) {
    throw new PublicConfigError(
      `the database holds chain ${known.chainId}, the node serves chain ${chainId}; ` +
        "give another DATABASE_SCHEMA, DATABASE_URL or DATA_DIR for it",
    );
  }
  requireStartBlockSetting(known, options.startBlock);
  if (await getServedHead(sql)) return known;
  const current = await describeChain(chain, chainId, options);
  if (current.genesisHash === known.genesisHash) return known;
  await startOver(writer, current);
  return current;
}

/** Throws `ConfigError` when the settings have another first block than the database. */
export function requireStartBlockSetting({ startBlock }: ChainIdentity, wanted: number): void {
  if (startBlock === wanted) return;
  throw new PublicConfigError(
    `the database was begun with START_BLOCK=${startBlock}; keep it, or begin an empty database`,
  );
}

/** Throws `ChainError` unless the first block to publish is the one that the database is bound to. */
export function requireStartBlock({ genesisHash, startBlock }: ChainIdentity, hash: Hex): void {
  if (hash === genesisHash) return;
  throw new ChainError("inconsistent-chain", `block ${startBlock} is another one by now`);
}

/** Returns the identity of the node's chain, as a database would be bound to it now. */
export async function describeChain(
  chain: Chain,
  chainId: number,
  { startBlock, signal }: SyncOptions,
): Promise<ChainIdentity> {
  const genesis = await chain.fetchHeader(startBlock, { signal });
  if (!genesis) throw lacksStartBlock(startBlock);
  const traced = chain.capabilities().tracer !== null;
  return { chainId, startBlock, genesisHash: genesis.hash, traced };
}

/** Returns the error for a chain that does not reach the first block to index. */
export function lacksStartBlock(startBlock: number): ChainError {
  return new ChainError("block-missing", `the node has no block ${startBlock} yet`);
}

/** Probes the nodes again after all tracers of a traced chain refused: the refusal may have been temporary. */
export async function lookForTracers({ chain, identity, options }: Sync): Promise<void> {
  if (!identity.traced || chain.capabilities().tracer !== null) return;
  await chain.probe({ chainId: identity.chainId, signal: options.signal });
}

/** Starts over without traces when the nodes cannot trace the first transactions. Throws other errors again, and temporary ones. */
export async function beginWithoutTraces(sync: Sync, error: unknown): Promise<boolean> {
  const { chain, writer, identity, options } = sync;
  const isPruned =
    error instanceof ChainError &&
    error.code === "traces-missing" &&
    chain.capabilities().archive === false;
  if (!isPruned || (await hasPublishedTransactions(writer.sql))) throw error;
  if (chain.capabilities().tracer === null) {
    sync.refusedSince ??= performance.now();
    if (performance.now() - sync.refusedSince < REFUSAL_PATIENCE_MS) throw error;
  }
  options.log.info("the node cannot trace old blocks: the chain is indexed without traces");
  sync.identity = { ...identity, traced: false };
  await startOver(writer, sync.identity);
  await loadHead(sync);
  reportTraces(chain, sync.identity, options);
  return true;
}

/** Reports why internal transactions are indexed or not. Throws `ChainError` when the database has them and no node traces. */
export function reportTraces(chain: Chain, identity: ChainIdentity, { status }: SyncOptions): void {
  const { tracer, tracerReason, archive } = chain.capabilities();
  if (identity.traced) {
    status.traces = { tracer, reason: tracerReason };
    if (tracer !== null) return;
    throw new ChainError(
      "traces-missing",
      `the database was begun with internal transactions, which no node can trace any more:  ${tracerReason}`,
    );
  }
  const reason =
    tracerReason ??
    (archive === false
      ? "the node keeps no state of old blocks, without which it cannot trace them"
      : "the database was begun without traces, and a node that traces its blocks is looked for");
  status.traces = { tracer: null, reason };
}
