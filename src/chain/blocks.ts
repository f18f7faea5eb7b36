import { chunk } from "../core/async.ts";
import { quantity } from "../core/quantity.ts";
import type { ChainOptions, FetchedBlocks, FetchOptions, RpcCall } from "./chain.ts";
import { NodeError } from "./errors.ts";
import type { Features, NodeFeatures } from "./features.ts";
import { headerOf } from "./headers.ts";
import type { Node } from "./node.ts";
import { type Ask, askGroups, errorIn, type Outcome, resultOf } from "./outcomes.ts";
import type { RpcClient } from "./rpc-client.ts";
import { fetchTraces, isMissing, type TraceableBlock } from "./tracers.ts";
import type { FetchedBlock, RawBlock, RawHeader, RawReceipt, TransactionTrace } from "./types.ts";

/** What blocks are fetched with. */
export interface BlockSource {
  client: RpcClient;
  features: Features;
  /** How long a node may trace one transaction, as a Go duration. */
  traceTimeout: string;
  log: ChainOptions["log"];
}

/** Blocks asked for at once. Only the answer tells how large they are. */
const BLOCKS_AT_ONCE = 50;
/** No more blocks are asked for once they used this much gas together: some 4,000 transactions and their traces. */
const ENOUGH_GAS = 400_000_000;

/** See `Chain.fetchBlocks`. */
export function fetchBlocks(
  source: BlockSource,
  numbers: readonly number[],
  options: FetchOptions,
): Promise<FetchedBlocks> {
  return source.client.onNode(options, async (node, viem) => {
    const { ask } = viem.transport;
    const features = await source.features.learn(node);
    const wantsTraces = options.traces !== false;
    if (wantsTraces) leaveToTracingNode(source, node);
    const blocks = await fetchEnough(features, numbers, ask);
    const traced = wantsTraces ? await addTraces(source, node, blocks, ask) : blocks;
    return { node: node.name, blocks: traced };
  });
}

/** A block without traces is not taken from one node while another one can trace it. */
function leaveToTracingNode({ features }: BlockSource, node: Node): void {
  if (features.of(node)?.tracer === null && features.capabilities().tracer !== null) {
    throw new NodeError("method-missing", `${node.name} has no tracer, another node has one`);
  }
}

/** Blocks with their receipts up to `ENOUGH_GAS`, at least one; ends before the first that failed. */
async function fetchEnough(
  features: NodeFeatures,
  numbers: readonly number[],
  ask: Ask,
): Promise<(FetchedBlock | null)[]> {
  const fetched: (FetchedBlock | null)[] = [];
  let gas = 0;
  for (const some of chunk(numbers, BLOCKS_AT_ONCE)) {
    const got = await fetchWithReceipts(features, some, ask).catch((thrown: unknown) => {
      if (thrown instanceof NodeError && fetched.length > 0) return [];
      throw thrown;
    });
    for (const one of got) {
      gas += Number(one?.block.gasUsed ?? 0);
      if (gas > ENOUGH_GAS && fetched.length > 0) return fetched;
      fetched.push(one);
    }
    if (got.length < some.length) return fetched;
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
  const calls = numbers
    .map(quantity)
    .map((block): RpcCall[] => [
      { method: "eth_getBlockByNumber", params: [block, true] },
      ...(together ? [{ method: "eth_getBlockReceipts", params: [block] }] : []),
    ]);
  const outcomes = await askGroups(ask, calls);
  const isRefused = outcomes.every(([, receipts]) => {
    const error = errorIn(receipts);
    return error !== undefined && isMissing(error);
  });
  if (together && isRefused && !features.hasGivenReceipts) features.blockReceipts = false;
  const fetched = untilFailure(outcomes, (own): FetchedBlock | null => {
    const block = blockOf(own[0]);
    if (!block) return null;
    if (!features.blockReceipts) return { block, receipts: [], traces: null };
    const receipts = receiptsOf(own[1]);
    features.hasGivenReceipts ||= receipts.length > 0;
    return { block, receipts, traces: null };
  });
  await addUncles(fetched, ask);
  return features.blockReceipts ? fetched : addReceiptsByTransaction(fetched, ask);
}

/** What `make` makes of the items, up to the first that it throws `NodeError` for; throws the error of the first item. */
function untilFailure<Item, Made>(
  items: readonly Item[],
  make: (item: Item, index: number) => Made,
): Made[] {
  const made: Made[] = [];
  for (const [index, item] of items.entries()) {
    try {
      made.push(make(item, index));
    } catch (thrown) {
      if (index === 0 || !(thrown instanceof NodeError)) throw thrown;
      break;
    }
  }
  return made;
}

/** Asks for the headers of uncles, where blocks name any; one that the node does not give is left out. */
async function addUncles(fetched: readonly (FetchedBlock | null)[], ask: Ask): Promise<void> {
  const nephews = fetched.filter((one) => (one?.block.uncles ?? []).length > 0) as FetchedBlock[];
  if (nephews.length === 0) return;
  const calls = nephews.map(({ block }) =>
    (block.uncles ?? []).map((_, index) => ({
      method: "eth_getUncleByBlockNumberAndIndex",
      params: [block.number, quantity(index)],
    })),
  );
  const outcomes = await askGroups(ask, calls);
  for (const [index, nephew] of nephews.entries()) {
    nephew.uncles = (outcomes[index] ?? []).flatMap((outcome) =>
      "result" in outcome && outcome.result !== null ? [outcome.result as RawHeader] : [],
    );
  }
}

async function addReceiptsByTransaction(
  fetched: readonly (FetchedBlock | null)[],
  ask: Ask,
): Promise<(FetchedBlock | null)[]> {
  const calls = fetched.map((one) =>
    (one?.block.transactions ?? []).map(({ hash }) => ({
      method: "eth_getTransactionReceipt",
      params: [hash],
    })),
  );
  const outcomes = await askGroups(ask, calls);
  return untilFailure(fetched, (one, index) => {
    const receipts = (outcomes[index] ?? []).map(resultOf).filter((receipt) => receipt !== null);
    return one && { ...one, receipts: receipts as RawReceipt[] };
  });
}

/** Adds the traces of all blocks that can be traced; ends before the first that could be and was not. */
async function addTraces(
  source: BlockSource,
  node: Node,
  fetched: (FetchedBlock | null)[],
  ask: Ask,
): Promise<(FetchedBlock | null)[]> {
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
    if (tracer === null) return fetched;
    const traces = await fetchTraces(tracer, traceable, ask, source.traceTimeout);
    const missing = traces.find((trace) => trace instanceof NodeError && isMissing(trace));
    if (missing instanceof NodeError && !features.hasTraced) {
      await source.features.dropTracer(node, tracer, missing.message);
      leaveToTracingNode(source, node);
      continue;
    }
    await traceWithoutState(traces, traceable, features, source, ask);
    let next = 0;
    return untilFailure(fetched, (one) => {
      if (!one) return null;
      if (one.block.transactions.length === 0) return { ...one, traces: [] };
      const own = traces[next++] as TransactionTrace[] | NodeError;
      return { ...one, traces: tracesOf(own, source, features, node) };
    });
  }
}

/**
 * Asks `trace_block`, which some nodes answer from traces that they kept, for the blocks that can no longer be executed.
 * Replaces the error of each block that it has.
 */
async function traceWithoutState(
  traces: (TransactionTrace[] | NodeError)[],
  traceable: readonly TraceableBlock[],
  { tracer, missingTracers }: NodeFeatures,
  { traceTimeout }: BlockSource,
  ask: Ask,
): Promise<void> {
  if (tracer === "trace_block" || missingTracers.has("trace_block")) return;
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
  if (isMissing(traces)) {
    throw new NodeError("unavailable", `the tracer was there and is not: ${traces.message}`);
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
function blockOf(outcome: Outcome | undefined): RawBlock | null {
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

/** The receipts of an answer. A node that lags behind has none; validation notices that they are missing. */
function receiptsOf(outcome: Outcome | undefined): RawReceipt[] {
  const error = errorIn(outcome);
  if (error?.code === "block-unknown") return [];
  if (error && isMissing(error)) {
    throw new NodeError("unavailable", `block receipts were there and are not: ${error.message}`);
  }
  const answer = resultOf(outcome) ?? [];
  if (!Array.isArray(answer)) throw new NodeError("bad-answer", "block receipts are no list");
  return answer;
}
