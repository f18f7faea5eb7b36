import { asUnanswered } from "../../core/errors.ts";
import { quantity } from "../../core/evm/quantity.ts";
import { isNothing } from "../../core/json/record.ts";
import type { NodeFeatures } from "../capabilities/features.ts";
import { NodeError } from "../errors/errors.ts";
import {
  type Ask,
  askGroups,
  errorIn,
  isRefusal,
  type Outcome,
  resultOf,
  untilFailure,
} from "../errors/outcomes.ts";
import { inCommonForm, withExecutedOnly, withReceiptsInOrder } from "../forms/forms.ts";
import { headerOf } from "../headers.ts";
import type { FetchOptions, RpcCall } from "../options.ts";
import type { FetchedBlocks } from "../questions.ts";
import { unifyAddresses } from "../traces/address-forms.ts";
import type { FetchedBlock, RawBlock, RawHeader, RawReceipt } from "../types.ts";
import { addTraces, leaveToTracingNode } from "./block-traces.ts";
import { ENOUGH_GAS, gasOf } from "./fetch-load.ts";
import type { BlockSource } from "./source.ts";

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
    const leftOut: number[] = [];
    const blocks = await fetchEnough(source, features, numbers, leftOut, ask);
    const traced = wantsTraces ? await addTraces(source, node, blocks, ask) : blocks;
    for (const one of traced) if (one) unifyAddresses(one);
    const last = numbers[traced.length - 1] ?? -1;
    return { node: node.name, blocks: traced, leftOut: leftOut.filter((one) => one <= last) };
  });
}

/** Returns blocks with receipts up to `ENOUGH_GAS`, at least one; ends before the first that failed. Adds to `leftOut`. */
async function fetchEnough(
  { load }: BlockSource,
  features: NodeFeatures,
  numbers: readonly number[],
  leftOut: number[],
  ask: Ask,
): Promise<(FetchedBlock | null)[]> {
  const fetched: (FetchedBlock | null)[] = [];
  let gas = 0;
  while (fetched.length < numbers.length) {
    const some = numbers.slice(fetched.length, fetched.length + load.fittingBlocks);
    const got = await fetchWithReceipts(features, some, leftOut, ask).catch((thrown: unknown) => {
      if (thrown instanceof NodeError && fetched.length > 0) return [];
      throw thrown;
    });
    load.noteBlocks(got);
    for (const one of got) {
      gas += gasOf(one);
      if (gas > ENOUGH_GAS && fetched.length > 0) return fetched;
      fetched.push(one);
    }
    if (got.length < some.length) return fetched;
  }
  return fetched;
}

/** Fetches blocks and receipts in one round trip with `eth_getBlockReceipts`, in two otherwise. */
async function fetchWithReceipts(
  features: NodeFeatures,
  numbers: readonly number[],
  leftOut: number[],
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
  const isRefused = outcomes.every(([, receipts]) => isRefusal(errorIn(receipts)));
  if (together && isRefused && !features.hasGivenReceipts) features.blockReceipts = false;
  const fetched = untilFailure(outcomes, (own, index): FetchedBlock | null => {
    if (errorIn(own[0])?.code === "block-left-out") {
      leftOut.push(numbers[index] as number);
      return null;
    }
    const block = readBlock(own[0]);
    if (!block) return null;
    const receipts = features.blockReceipts ? readReceipts(own[1]) : [];
    features.hasGivenReceipts ||= receipts.length > 0;
    return inCommonForm({ block, receipts, traces: null });
  });
  await addUncles(fetched, ask);
  const add = features.blockReceipts ? addReceiptsLeftOut : addReceiptsByTransaction;
  return add(fetched, ask);
}

/**
 * Asks for missing receipts one by one. Some nodes fail to return certain blocks' together
 * (0xPolygon/erigon#64, paradigmxyz/reth#23394, sei-protocol/sei-chain#1815,
 * hiero-json-rpc-relay#4423).
 */
async function addReceiptsLeftOut(given: readonly (FetchedBlock | null)[], ask: Ask) {
  const fetched = given.map((one) => one && withReceiptsInOrder(one));
  const lacking = fetched.filter((one) => {
    return one !== null && one.receipts.length < one.block.transactions.length;
  });
  if (lacking.length === 0) return fetched;
  const asked = await askReceipts(lacking, ask).catch(asUnanswered);
  return fetched.map((one) => {
    const own = asked?.[lacking.indexOf(one)];
    return one && own ? withExecutedOnly({ ...one, receipts: [...one.receipts, ...own] }) : one;
  });
}

/** Adds the headers of uncles; leaves out those that the node does not return. */
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

async function addReceiptsByTransaction(fetched: readonly (FetchedBlock | null)[], ask: Ask) {
  const receipts = await askReceipts(fetched, ask);
  return fetched
    .slice(0, receipts.length)
    .map((one, index) => one && withExecutedOnly({ ...one, receipts: receipts[index] ?? [] }));
}

/** Asks for the receipts one by one; ends before the first block that failed. */
async function askReceipts(fetched: readonly (FetchedBlock | null)[], ask: Ask) {
  const calls = fetched.map((one) =>
    (one?.block.transactions ?? []).map(({ hash }) => ({
      method: "eth_getTransactionReceipt",
      params: [hash],
    })),
  );
  const outcomes = await askGroups(ask, calls);
  return untilFailure(outcomes, (own) => {
    const receipts = own.map(resultOf).filter((receipt) => receipt !== null);
    return receipts as RawReceipt[];
  });
}

/** Returns the block of an answer, null when the node has none. */
function readBlock(outcome: Outcome | undefined): RawBlock | null {
  if (errorIn(outcome)?.code === "block-unknown") return null;
  const answer = resultOf(outcome);
  if (answer === null) return null;
  headerOf(answer);
  const { transactions, uncles } = answer as { transactions?: unknown; uncles?: unknown };
  if (!Array.isArray(transactions) || transactions.some((transaction) => !transaction?.hash)) {
    throw new NodeError("bad-answer", "a block came without its transactions");
  }
  if (!isNothing(uncles) && !Array.isArray(uncles)) {
    throw new NodeError("bad-answer", "the uncles of a block are not a list");
  }
  return answer as RawBlock;
}

/** Returns the receipts of an answer. A lagging node has none, as one that refuses; validation reports missing ones. */
function readReceipts(outcome: Outcome | undefined) {
  const error = errorIn(outcome);
  if (error?.code === "block-unknown" || isRefusal(error)) return [];
  const answer = resultOf(outcome) ?? [];
  if (!Array.isArray(answer)) throw new NodeError("bad-answer", "block receipts are not a list");
  return answer;
}
