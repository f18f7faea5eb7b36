import { chunk } from "../core/async.ts";
import { quantity } from "../core/quantity.ts";
import type { ChainOptions, FetchedBlocks, FetchOptions, RpcCall } from "./chain.ts";
import { NodeError } from "./errors.ts";
import type { Features, NodeFeatures } from "./features.ts";
import { headerOf } from "./headers.ts";
import type { Node, NodeOutcome } from "./node.ts";
import { type Ask, errorIn, type RpcClient, resultOf } from "./rpc-client.ts";
import { fetchTraces, isMissing, type TraceableBlock } from "./tracers.ts";
import type { FetchedBlock, RawBlock, RawReceipt, TransactionTrace } from "./types.ts";

/** What blocks are fetched with. */
export interface BlockSource {
  client: RpcClient;
  features: Features;
  /** How long a node may trace one transaction, as a Go duration. */
  traceTimeout: string;
  log: ChainOptions["log"];
}

/** Blocks asked for at once: how heavy they are, only the answer tells. */
const BLOCKS_AT_ONCE = 50;
/** Blocks that used this much gas together are enough: some 4,000 transactions, and their traces are several times as large. */
const ENOUGH_GAS = 400_000_000;

/** See `Chain.fetchBlocks`. */
export function fetchBlocks(
  source: BlockSource,
  numbers: readonly number[],
  options: FetchOptions,
): Promise<FetchedBlocks> {
  return source.client.onNode(options, async (node, ask) => {
    const features = await source.features.learn(node);
    const wantsTraces = options.traces !== false;
    if (wantsTraces) leaveToTracingNode(source, node);
    const blocks = await fetchEnough(features, numbers, ask);
    if (wantsTraces) await addTraces(source, node, blocks, ask);
    return { node: node.name, blocks };
  });
}

/** A block without traces is not taken from one node while another one can trace it. */
function leaveToTracingNode({ features }: BlockSource, node: Node): void {
  if (features.of(node)?.tracer === null && features.capabilities().tracer !== null) {
    throw new NodeError("method-missing", `${node.name} has no tracer, another node has one`);
  }
}

/** The first of the blocks that are enough together, with their receipts; at least one. */
async function fetchEnough(
  features: NodeFeatures,
  numbers: readonly number[],
  ask: Ask,
): Promise<(FetchedBlock | null)[]> {
  const fetched: (FetchedBlock | null)[] = [];
  let gas = 0;
  for (const some of chunk(numbers, BLOCKS_AT_ONCE)) {
    for (const one of await fetchWithReceipts(features, some, ask)) {
      gas += Number(one?.block.gasUsed ?? 0);
      if (gas > ENOUGH_GAS && fetched.length > 0) return fetched;
      fetched.push(one);
    }
  }
  return fetched;
}

/** Blocks and receipts in one go where the node has `eth_getBlockReceipts`, in two otherwise. */
async function fetchWithReceipts(
  features: NodeFeatures,
  numbers: readonly number[],
  ask: Ask,
): Promise<(FetchedBlock | null)[]> {
  const together = features.blockReceipts;
  const calls: RpcCall[] = [];
  for (const number of numbers) {
    const block = quantity(number);
    calls.push({ method: "eth_getBlockByNumber", params: [block, true] });
    if (together) calls.push({ method: "eth_getBlockReceipts", params: [block] });
  }
  const outcomes = await ask(calls);
  const step = together ? 2 : 1;
  const fetched = numbers.map((_, index): FetchedBlock | null => {
    const block = blockOf(outcomes[index * step]);
    return block && { block, receipts: [], traces: null };
  });
  if (together) {
    for (const [index, found] of fetched.entries()) {
      const outcome = outcomes[index * step + 1];
      const error = errorIn(outcome);
      if (error && isMissing(error)) features.blockReceipts = false;
      else if (found) found.receipts = receiptsOf(outcome);
    }
  }
  if (!features.blockReceipts) await addReceiptsByTransaction(fetched, ask);
  return fetched;
}

async function addReceiptsByTransaction(
  fetched: readonly (FetchedBlock | null)[],
  ask: Ask,
): Promise<void> {
  const found = fetched.filter((block) => block !== null);
  const calls = found.flatMap(({ block }) =>
    block.transactions.map(({ hash }) => ({ method: "eth_getTransactionReceipt", params: [hash] })),
  );
  const outcomes = await ask(calls);
  let next = 0;
  for (const one of found) {
    const own = outcomes.slice(next, next + one.block.transactions.length);
    next += own.length;
    one.receipts = own.map(resultOf).filter((receipt) => receipt !== null) as RawReceipt[];
  }
}

/** Adds the traces of all blocks that can be traced. */
async function addTraces(
  source: BlockSource,
  node: Node,
  fetched: readonly (FetchedBlock | null)[],
  ask: Ask,
): Promise<void> {
  const found = fetched.filter((block) => block !== null);
  const withTransactions = found.filter(({ block }) => block.transactions.length > 0);
  const traceable = withTransactions.map(({ block }) => ({
    number: block.number,
    hash: block.hash,
    transactionHashes: block.transactions.map(({ hash }) => hash),
  }));
  for (;;) {
    const features = await source.features.learn(node);
    const { tracer } = features;
    if (tracer === null) return;
    const traces = await fetchTraces(tracer, traceable, ask, source.traceTimeout);
    const missing = traces.find((trace) => trace instanceof NodeError && isMissing(trace));
    if (missing instanceof NodeError) {
      if (features.hasTraced) {
        throw new NodeError("unavailable", `${tracer} was there and is not: ${missing.message}`);
      }
      await source.features.dropTracer(node, tracer, missing.message);
      leaveToTracingNode(source, node);
      continue;
    }
    await traceWithoutState(traces, traceable, features, source, ask);
    for (const one of found) one.traces = [];
    for (const [index, one] of withTransactions.entries()) {
      one.traces = tracesOf(
        traces[index] as TransactionTrace[] | NodeError,
        source,
        features,
        node,
      );
    }
    return;
  }
}

/**
 * Asks `trace_block`, which some nodes answer from traces that they kept, for the blocks that can no longer be executed.
 * Replaces the error of each block that it has.
 */
async function traceWithoutState(
  traces: (TransactionTrace[] | NodeError)[],
  traceable: readonly TraceableBlock[],
  { tracer, refusals }: NodeFeatures,
  { traceTimeout }: BlockSource,
  ask: Ask,
): Promise<void> {
  if (tracer === "trace_block" || refusals.has("trace_block")) return;
  const pruned = [...traces.keys()].filter((index) => {
    const trace = traces[index];
    return trace instanceof NodeError && trace.code === "state-unavailable";
  });
  if (pruned.length === 0) return;
  const blocks = pruned.map((index) => traceable[index] as TraceableBlock);
  const kept = await fetchTraces("trace_block", blocks, ask, traceTimeout);
  for (const [position, index] of pruned.entries()) {
    const found = kept[position];
    if (found && !(found instanceof NodeError)) traces[index] = found;
  }
}

/** The traces of one block, null when its state is pruned. Throws any other error. */
function tracesOf(
  traces: TransactionTrace[] | NodeError,
  { log }: BlockSource,
  features: NodeFeatures,
  node: Node,
): TransactionTrace[] | null {
  if (!(traces instanceof NodeError)) {
    features.hasTraced = true;
    return traces;
  }
  if (traces.code !== "state-unavailable") throw traces;
  if (!features.pruned) {
    features.pruned = true;
    log.warn(
      { node: node.name },
      `old blocks stay without internal transactions: ${traces.message}`,
    );
  }
  return null;
}

/** The block of an answer, null when the node has none. */
function blockOf(outcome: NodeOutcome | undefined): RawBlock | null {
  if (errorIn(outcome)?.code === "block-unknown") return null;
  const answer = resultOf(outcome);
  if (answer === null) return null;
  headerOf(answer);
  const { transactions } = answer as { transactions?: unknown };
  if (!Array.isArray(transactions) || transactions.some((transaction) => !transaction?.hash)) {
    throw new NodeError("bad-answer", "a block came without its transactions");
  }
  return answer as RawBlock;
}

/** The receipts of an answer. None is what a node that lags behind says; that they are missing shows by their number. */
function receiptsOf(outcome: NodeOutcome | undefined): RawReceipt[] {
  if (errorIn(outcome)?.code === "block-unknown") return [];
  const answer = resultOf(outcome) ?? [];
  if (!Array.isArray(answer)) throw new NodeError("bad-answer", "block receipts are no list");
  return answer;
}
