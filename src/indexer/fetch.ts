import type { Chain } from "../chain/chain.ts";
import type { FetchOptions as FetchOptionsOfChain } from "../chain/options.ts";
import type { FetchedBlocks } from "../chain/questions.ts";
import { Retry } from "../chain/retry.ts";
import type { FetchedBlock } from "../chain/types.ts";
import { asUnanswered, ChainError, messageOf } from "../core/errors.ts";
import type { Hex } from "../core/evm/hex.ts";
import { timeStage } from "../telemetry/metrics.ts";
import { isReorg, type Sync } from "./context.ts";
import type { ProofScope } from "./proof/proofs.ts";

/** After so many equal answers a number may count as left out. */
const AGREEING_ROUNDS = 2;
/** Most numbers below a gap that are asked for the block before it. */
const LONGEST_GAP = 64;

export interface FetchOptions<Made> {
  from: number;
  to: number;
  /** Default: as the chain is indexed. */
  traced?: boolean;
  /** The head waits for these blocks. */
  headWaits?: boolean;
  /** Which parts of each block to prove. */
  proof: ProofScope;
  /** Converts the longest run of validated blocks without a hole, and the numbers among them that the chain left out. */
  make(blocks: readonly FetchedBlock[], leftOut: readonly number[]): Promise<Made>;
}

/**
 * Fetches and validates blocks and returns the result of `make`. Returns fewer when the chain ends,
 * they are heavy, or one fails: a bad one is fetched alone, from another node if possible. Throws
 * `ChainError` for the first block.
 */
export async function fetchValidBlocks<Made>(sync: Sync, options: FetchOptions<Made>) {
  const { chain, identity, writer } = sync;
  const { from, traced = identity.traced } = options;
  const { metrics } = writer;
  const retry = new Retry(sync.options.signal);
  const got: Got = new Map();
  let { to } = options;
  let avoid = sync.distrusted?.node;
  let most = 0;
  const noteProgress = (): void => {
    if (got.size <= most) return;
    most = got.size;
    retry.progressed();
  };
  for (let round = 1; ; round++) {
    let failure: ChainError | undefined;
    try {
      if (got.size === 0) to = options.to;
      const wanted = missingIn(got, from, to);
      const fetched = await timeStage(metrics, "fetch", () =>
        fetchWhereKnown(chain, wanted, {
          ...(avoid !== undefined && { avoid }),
          traces: traced,
          headWaits: options.headWaits ?? false,
          retry,
          reportReorgs: true,
        }),
      );
      avoid = fetched.node;
      // The end of the node's chain; a null before the last block is none.
      if (got.size === 0) {
        const last = fetched.blocks.findLastIndex((block) => block !== null);
        to = Math.max(from + last, fetched.leftOut.at(-1) ?? -1);
      }
      failure = await take(
        sync,
        { ...options, traced, to },
        got,
        wanted,
        fetched,
        retry,
        noteProgress,
      );
      if (round >= AGREEING_ROUNDS) await passLeftOut(sync, got, wanted, fetched);
      const known = prefix(got, from);
      if (known.length === to - from + 1) return await makeOf(sync, options, known);
    } catch (error) {
      if (!(error instanceof ChainError && error.retryable)) throw error;
      failure = error;
      // The undecodable block may be any of them.
      if (missingIn(got, from, to).length === 0) got.clear();
    }
    metrics.rejectedPayloads.inc({ reason: failure?.code ?? "block-missing" });
    // The second time means that the chain has changed, which the caller handles.
    const hasChanged = round > 1 && (!failure || isReorg(failure));
    if (!hasChanged && (await retry.again())) continue;
    const known = prefix(got, from);
    if (known.length > 0) return makeOf(sync, options, known);
    throw failure ?? lacksBlock(from);
  }
}

/**
 * Marks numbers that the nodes answer with null as left out by the chain, where the next block's parent is the block before
 * them: then no block is between.
 */
async function passLeftOut(
  { chain, identity, options: { signal } }: Sync,
  got: Got,
  wanted: readonly number[],
  { node, blocks }: FetchedBlocks,
): Promise<void> {
  const lacking = new Set(wanted.filter((_, index) => blocks[index] === null));
  for (const first of lacking) {
    let next = first;
    while (lacking.has(next) && !got.has(next)) next++;
    const parentHash = got.get(next)?.block.parentHash;
    if (parentHash === undefined || next === first) continue;
    let before: { hash: Hex } | null | undefined = got.get(first - 1)?.block;
    const lowest = Math.max(identity.startBlock, first - LONGEST_GAP);
    for (let below = first - 1; !before && below >= lowest; below--)
      before = await chain.fetchHeader(below, { node, signal });
    if (before?.hash !== parentHash) continue;
    for (let number = first; number < next; number++) got.set(number, null);
  }
}

/** Returns the error for a block that the nodes lack while they have later ones. */
export function lacksBlock(number: number): ChainError {
  return new ChainError(
    "block-missing",
    `no node has block ${number}, though later ones were announced: name another node in RPC_URL`,
  );
}

/** Fetches from the first node that has the first block; from none when all nodes in use lack it. */
async function fetchWhereKnown(
  chain: Chain,
  wanted: readonly number[],
  options: FetchOptionsOfChain & { retry: Retry },
): Promise<FetchedBlocks> {
  const fetched = await chain.fetchBlocks(wanted, options);
  if (fetched.blocks[0] || fetched.leftOut[0] === wanted[0]) return fetched;
  for (const { node, usable } of chain.status()) {
    if (!usable || node === fetched.node) continue;
    const retry = new Retry(options.retry.stop, { attempts: 1 });
    const other = await chain.fetchBlocks(wanted, { ...options, node, retry }).catch(asUnanswered);
    if (other?.blocks[0]) return other;
  }
  return fetched;
}

/** Blocks by number; null for a number that the chain left out. */
type Got = Map<number, FetchedBlock | null>;

function missingIn(got: Got, from: number, to: number): number[] {
  const numbers = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  return numbers.filter((number) => !got.has(number));
}

/** Adds the accepted blocks that continue one another. Returns the first reason for a refusal. */
async function take(
  { agreement }: Sync,
  { from, to, traced, proof }: { from: number; to: number; traced: boolean; proof: ProofScope },
  got: Got,
  wanted: readonly number[],
  { node, blocks, leftOut }: FetchedBlocks,
  retry: Retry,
  noteProgress: () => void,
): Promise<ChainError | undefined> {
  let failure: ChainError | undefined;
  for (const number of leftOut) got.set(number, null);
  for (const [index, fetched] of blocks.entries()) {
    const blockNumber = wanted[index] as number;
    if (!fetched) continue;
    try {
      const answer = { blockNumber, node, fetched, traced, proof };
      got.set(blockNumber, await agreement.confirm(answer, retry));
      noteProgress();
    } catch (error) {
      if (!(error instanceof ChainError && error.retryable)) throw error;
      failure ??= error;
    }
  }
  let before = from;
  for (let number = from + 1; number <= to; number++) {
    const [parent, block] = [got.get(before), got.get(number)];
    if (block === null) continue;
    const first = before;
    before = number;
    if (!parent || !block || parent.block.hash === block.block.parentHash) continue;
    // Either of the two blocks may be wrong, or a number between them may have a block.
    for (let wrong = first; wrong <= number; wrong++) got.delete(wrong);
    failure ??= new ChainError(
      "inconsistent-chain",
      `block ${number} does not continue the one before: if it stays so, name another node in RPC_URL`,
    );
  }
  return failure;
}

/** Returns the numbers from `from` up to the first missing block, with their blocks. */
function prefix(got: Got, from: number): [number, FetchedBlock | null][] {
  const known: [number, FetchedBlock | null][] = [];
  for (let number = from; got.has(number); number++) known.push([number, got.get(number) ?? null]);
  return known;
}

async function makeOf<Made>(
  { writer, options: { log, status } }: Sync,
  { from, make }: FetchOptions<Made>,
  known: readonly [number, FetchedBlock | null][],
) {
  const blocks = known.flatMap(([, block]) => block ?? []);
  const leftOut = known.flatMap(([number, block]) => (block ? [] : number));
  if (leftOut.length > 0) {
    const kind = "block-left-out";
    if (!status.accepted[kind])
      log.warn({ kind, block: leftOut[0] }, "the chain leaves out numbers");
    status.accepted[kind] = (status.accepted[kind] ?? 0) + leftOut.length;
    writer.metrics.acceptedInconsistencies.inc({ kind }, leftOut.length);
  }
  return make(blocks, leftOut).catch((error: unknown) => {
    if (error instanceof ChainError) throw error;
    throw new ChainError(
      "inconsistent-block",
      `malformed answer for one of the blocks from ${from} on: ${messageOf(error)}`,
    );
  });
}
