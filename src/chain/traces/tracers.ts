import type { Hex } from "../../core/evm/hex.ts";
import { isNothing } from "../../core/json/record.ts";
import type { ChainErrorCode } from "../errors/codes.ts";
import { NodeError } from "../errors/errors.ts";
import { type Ask, askGroups, errorIn, resultOf } from "../errors/outcomes.ts";
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

/** Returns whether the error means that the node lacks the method. */
export function isMissing(error: NodeError | undefined): boolean {
  const code = error?.code;
  return code === "method-missing" || code === "invalid-request" || code === "unauthorized";
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

/** Finds the node's best tracer outside `missing` on its newest block, or null, and adds the refused. Throws `NodeError`. */
export async function findTracer(
  block: TraceableBlock,
  ask: Ask,
  timeoutMs: number,
  missing: Map<Tracer, string>,
): Promise<{ tracer: Tracer | null; settings: TracerSettings }> {
  const sample =
    block.transactionHashes.length > 0 ? block.transactionHashes.slice(0, 1) : [block.hash];
  for (const { name } of KINDS) {
    if (missing.has(name)) continue;
    const sampled = [{ ...block, transactionHashes: sample }];
    // The method counts as missing only when the call without optional settings is refused.
    for (const settings of name === "trace_block" ? SETTINGS.slice(0, 1) : SETTINGS) {
      const [traces] = await fetchTraces(name, sampled, ask, timeoutMs, settings);
      if (!(traces instanceof NodeError)) return { tracer: name, settings };
      if (UNDECIDED.has(traces.code)) throw traces;
      if (!isMissing(traces)) return { tracer: name, settings };
      if (!missing.has(name)) missing.set(name, traces.message);
      if (traces.code !== "invalid-request") break;
    }
  }
  return { tracer: null, settings: "all" };
}
