import type { Hex } from "../../core/evm/hex.ts";
import { isNothing } from "../../core/json/record.ts";
import type { ChainErrorCode } from "../errors/codes.ts";
import { NodeError } from "../errors/errors.ts";
import {
  type Ask,
  askGroups,
  errorIn,
  isMissing,
  isRefusal,
  resultOf,
} from "../errors/outcomes.ts";
import type { RpcCall } from "../options.ts";
import type { Tracer } from "../questions.ts";
import type { TransactionTrace } from "../types.ts";
import { boundInputs, siftFlat, siftTrees } from "./call-inputs.ts";
import {
  frameOfCallTracer,
  isCallTracerFrame,
  tracesOfDebugBlock,
  tracesOfFlatBlock,
} from "./frames.ts";

/** Input of a tracer. */
export interface TraceableBlock {
  number: Hex;
  hash: Hex;
  transactionHashes: readonly Hex[];
  /** Of the transactions' receipts, in order. */
  gasUsed: readonly Hex[];
  /** Of the transactions, in order. */
  senders: readonly Hex[];
  /** The transaction that a tracer may leave out (`stateSyncHash`). */
  stateSync: Hex | undefined;
}

interface TracerKind {
  name: Tracer;
  /** Returns the calls for a block, each with its parser, which returns traces or a `NodeError`. */
  calls(block: TraceableBlock, timeoutMs: number, settings: TracerSettings): TraceCall[];
}

/** The traces of a block, or the error. */
export type Traces = TransactionTrace[] | NodeError;

type TraceCall = RpcCall & {
  read(result: unknown): Traces;
  /** The node's own error, or an invalid trace, counts as none. */
  mayFail?: boolean;
};

/**
 * Returns the settings of `callTracer` with its time limit of `timeoutMs` per transaction. Without
 * `borTraceEnabled` Erigon, and Bor up to 2.5, omit Polygon's state-sync transactions
 * (0xPolygon/bor#2010, erigontech/erigon#9267); others ignore it.
 */
function callTracer(timeoutMs: number, settings: TracerSettings): object {
  return {
    tracer: "callTracer",
    // A Go duration.
    ...(settings !== "none" && { timeout: `${timeoutMs}ms` }),
    ...(settings === "all" && { tracerConfig: { withLog: false }, borTraceEnabled: true }),
  };
}

/** Optional settings of the callTracer that a node accepts: nodes of the Cosmos family refuse `tracerConfig` (-32602). */
export type TracerSettings = "all" | "timeout" | "none";
const SETTINGS: readonly TracerSettings[] = ["all", "timeout", "none"];

function debugBlock(name: Tracer, nameOf: (block: TraceableBlock) => Hex): TracerKind {
  return {
    name,
    calls: (block, timeoutMs, settings) => [
      {
        method: name,
        params: [nameOf(block), callTracer(timeoutMs, settings)],
        read: (result) => bounded(() => tracesOfDebugBlock(result), block.gasUsed),
        // {"result": [{"result": frame}]}
        sift: () => siftTrees(block.gasUsed, 3),
      },
    ],
  };
}

// Best first: a hash excludes another block's traces, and one call per block is cheaper for both ends.
const KINDS: readonly TracerKind[] = [
  debugBlock("debug_traceBlockByHash", ({ hash }) => hash),
  debugBlock("debug_traceBlockByNumber", ({ number }) => number),
  {
    name: "trace_block",
    calls: ({ number, hash, gasUsed }) => [
      {
        method: "trace_block",
        params: [number],
        read: (result) => bounded(() => tracesOfFlatBlock(result, hash), gasUsed),
        sift: () => siftFlat(gasUsed),
      },
    ],
  },
  {
    name: "debug_traceTransaction",
    calls: ({ transactionHashes, gasUsed, stateSync }, timeoutMs, settings) =>
      transactionHashes.map((transactionHash, index) => {
        const own = gasUsed.slice(index, index + 1);
        const mayFail = transactionHash === stateSync;
        const isLeftOut = mayFail ? (result: unknown) => !isCallTracerFrame(result) : isNothing;
        return {
          method: "debug_traceTransaction",
          params: [transactionHash, callTracer(timeoutMs, settings)],
          mayFail,
          read: (result) =>
            isLeftOut(result)
              ? []
              : bounded(() => [{ transactionHash, frame: frameOfCallTracer(result) }], own),
          sift: () => siftTrees(own, 1),
        };
      }),
  },
];

/** Returns the traces from `read` without inputs beyond the bound, or the `NodeError` it throws. */
function bounded(read: () => TransactionTrace[], gasUsed: readonly Hex[]): Traces {
  try {
    const traces = read();
    for (const [index, { frame }] of traces.entries()) boundInputs(frame, gasUsed[index]);
    return traces;
  } catch (thrown) {
    if (thrown instanceof NodeError) return thrown;
    throw thrown;
  }
}

/** Traces blocks in order, each an outcome or an error, by one question per block or transaction. */
export async function fetchTraces(
  tracer: Tracer,
  blocks: readonly TraceableBlock[],
  ask: Ask,
  timeoutMs: number,
  settings: TracerSettings,
): Promise<Traces[]> {
  const kind = KINDS.find(({ name }) => name === tracer) as TracerKind;
  const calls = blocks.map((block) => kind.calls(block, timeoutMs, settings));
  const outcomes = await askGroups(ask, calls);
  return outcomes.map((ofBlock, index) => {
    const traces = ofBlock.map((outcome, position) => {
      const error = errorIn(outcome);
      if (error?.code === "node-error" && calls[index]?.[position]?.mayFail) return [];
      return error ?? (resultOf(outcome) as Traces);
    });
    return (
      traces.find((one) => one instanceof NodeError) ?? (traces as TransactionTrace[][]).flat()
    );
  });
}

// Errors that do not show whether the node has the method.
const UNDECIDED: ReadonlySet<ChainErrorCode> = new Set([
  "unreachable",
  "unavailable",
  "bad-answer",
  "rate-limited",
  "busy",
  "aborted",
]);

/** Finds the node's best tracer outside `missing` on a block, or null, and adds the refused; doubtful if one failed there. Throws `NodeError`. */
export async function findTracer(
  block: TraceableBlock,
  ask: Ask,
  timeoutMs: number,
  missing: Map<Tracer, string>,
): Promise<{ tracer: Tracer | null; settings: TracerSettings; isDoubtful: boolean }> {
  const isEmpty = block.transactionHashes.length === 0;
  const transactionHashes = isEmpty ? [block.hash] : block.transactionHashes.slice(0, 1);
  let isDoubtful = false;
  let spare: Tracer | null = null;
  for (const { name: tracer } of KINDS) {
    if (missing.has(tracer)) continue;
    // The method counts as missing only when the call without optional settings is refused.
    for (const settings of tracer === "trace_block" ? SETTINGS.slice(0, 1) : SETTINGS) {
      const sampled = [{ ...block, transactionHashes }];
      const [traces = []] = await fetchTraces(tracer, sampled, ask, timeoutMs, settings);
      const error = traces instanceof NodeError ? traces : undefined;
      if (error && UNDECIDED.has(error.code)) throw error;
      const isLeftOut = !error && !isEmpty && (traces as TransactionTrace[]).length === 0;
      if (!isLeftOut && !isRefusal(error)) return { tracer, settings, isDoubtful };
      // It may refuse a setting, fail in this block, or leave its only transaction out.
      isDoubtful ||= !isMissing(error);
      if (isLeftOut && tracer !== "debug_traceTransaction") spare ??= tracer;
      if (!missing.has(tracer)) missing.set(tracer, error?.message ?? `${tracer} has no traces`);
    }
  }
  return { tracer: spare, settings: "all", isDoubtful };
}
