import type { Hex } from "../../core/evm/hex.ts";
import { isNothing, isRecord } from "../../core/json/record.ts";
import { NodeError } from "../errors/errors.ts";
import type { CallFrame, TransactionTrace } from "../types.ts";
import { addressOrNull, lowerOf } from "./address-forms.ts";

/** A frame as `callTracer` gives it (geth's tracer, offered by most clients). */
interface CallTracerFrame
  extends Pick<CallFrame, "type" | "from">,
    Partial<Omit<CallFrame, "type" | "from" | "calls">> {
  revertReason?: string;
  calls?: CallTracerFrame[];
}

/** One frame of `trace_block` (the parity trace module): flat, placed by `traceAddress`. */
interface FlatFrame {
  type: string;
  action: {
    callType?: string;
    creationMethod?: string;
    from?: Hex;
    to?: Hex;
    value?: Hex;
    gas?: Hex;
    input?: Hex | "";
    init?: Hex;
    address?: Hex;
    balance?: Hex;
    refundAddress?: Hex;
  };
  result?: { address?: Hex; code?: Hex; gasUsed?: Hex; output?: Hex } | null;
  error?: string | null;
  traceAddress: number[];
  blockHash?: Hex | null;
  transactionHash?: Hex | null;
  transactionPosition?: number | null;
}

/** Returns whether the outermost frame has an empty error, as all frames of this tracer have on success. */
function isFilledIn(outermost: { error?: unknown }): boolean {
  return outermost.error === "";
}

/** Parses a `callTracer` answer. Throws `NodeError`: `method-missing` for another kind of trace, from nodes without this tracer. */
export function frameOfCallTracer(answer: unknown): CallFrame {
  return buildTree(answer, isRecord(answer) && isFilledIn(answer));
}

function buildTree(given: unknown, filledIn: boolean, parent?: CallTracerFrame): CallFrame {
  if (!isRecord(given)) throw new NodeError("bad-answer", "a transaction has no trace");
  const answer = parent ? withParties(given, parent) : given;
  if (!isCallTracerFrame(answer)) {
    throw new NodeError("method-missing", "the node lacks the callTracer");
  }
  const calls = answer.calls ?? [];
  if (!Array.isArray(calls))
    throw new NodeError("bad-answer", "the calls of a trace are not a list");
  const type = answer.type.toLowerCase();
  const error = readError(answer, filledIn);
  return {
    type,
    from: lowerOf(answer.from),
    // Clients differ in whether a failed creation has its would-be address.
    to: error !== null && type.startsWith("create") ? null : addressOrNull(answer.to),
    value: answer.value ?? null,
    gas: answer.gas ?? null,
    gasUsed: answer.gasUsed ?? null,
    input: answer.input ?? "0x",
    output: answer.output ?? null,
    error,
    calls: calls.map((call) => buildTree(call, filledIn, answer)),
  };
}

/** Fills in the self-destructing contract: geth's first callTracer omits the parties of SELFDESTRUCT. */
function withParties(frame: Record<string, unknown>, parent: CallTracerFrame): unknown {
  if (frame["from"] !== undefined || !/^(?:selfdestruct|suicide)$/i.test(String(frame["type"]))) {
    return frame;
  }
  const isBorrowed = /^(?:delegatecall|callcode)$/i.test(parent.type);
  return { ...frame, type: "SELFDESTRUCT", from: isBorrowed ? parent.from : parent.to };
}

function readError({ error }: { error?: string | null }, filledIn: boolean): string | null {
  return filledIn && error === "" ? null : (error ?? null);
}

/** Requires the list of a block's traces: null comes from nodes without the method. */
function requireList<Item>(answer: unknown): Item[] {
  if (Array.isArray(answer)) return answer;
  const code = isNothing(answer) ? "method-missing" : "bad-answer";
  throw new NodeError(code, "a block trace is not a list");
}

/** Reads a `debug_traceBlock…` answer, one trace per transaction. Throws `NodeError` when it is malformed or incomplete. */
export function tracesOfDebugBlock(answer: unknown): TransactionTrace[] {
  type Entry = { txHash?: Hex; result?: unknown; error?: unknown } | null;
  return requireList<Entry>(answer).flatMap((entry) => {
    if (entry?.error) {
      throw errorOfTracer(String(entry.error).slice(0, 200));
    }
    if (isNothing(entry?.result)) return [];
    return [{ transactionHash: entry?.txHash ?? null, frame: frameOfCallTracer(entry?.result) }];
  });
}

/** Returns the error for a tracer's text in place of a trace. */
function errorOfTracer(text: string): NodeError {
  // anvil's text for a missing state: the transaction itself is listed.
  if (text === "Resource not found") return new NodeError("state-unavailable", gaveUp(text));
  // geth's text at its time limit.
  if (/timeout/i.test(text))
    return new NodeError("timeout", gaveUp(`${text} (see RPC_TIMEOUT_MS)`));
  return new NodeError("node-error", gaveUp(text));
}

function gaveUp(text: string): string {
  return `the tracer gave up: ${text}`;
}

/** Reads a `trace_block` answer without rewards. Throws `NodeError`, also when the frames name another block. */
export function tracesOfFlatBlock(answer: unknown, blockHash: Hex): TransactionTrace[] {
  const traces: TransactionTrace[] = [];
  let position: number | undefined;
  let filledIn = false;
  // The frame at each depth of the current branch.
  let branch: CallFrame[] = [];
  for (const flat of requireList<FlatFrame>(answer)) {
    if (String(flat?.blockHash ?? blockHash).toLowerCase() !== blockHash) {
      throw new NodeError("bad-answer", "the trace is that of another block");
    }
    if (typeof flat?.transactionPosition !== "number") continue;
    if (!isFlatFrame(flat)) throw notATree();
    const depth = flat.traceAddress.length;
    if (depth === 0) filledIn = isFilledIn(flat);
    const frame = frameOfFlat(flat, filledIn);
    if (depth === 0 && flat.transactionPosition !== position) {
      position = flat.transactionPosition;
      traces.push({ transactionHash: flat.transactionHash ?? null, frame });
      branch = [frame];
      continue;
    }
    const siblings = branch[depth - 1]?.calls;
    if (!siblings || flat.transactionPosition !== position) throw notATree();
    if (siblings.length !== flat.traceAddress[depth - 1]) throw notATree();
    siblings.push(frame);
    branch.length = depth;
    branch.push(frame);
  }
  return traces;
}

/** Returns whether the answer is a frame of the `callTracer`. */
export function isCallTracerFrame(answer: unknown): answer is CallTracerFrame {
  return (
    isRecord(answer) && typeof answer["type"] === "string" && typeof answer["from"] === "string"
  );
}

/** Returns whether a value has the fields of a `trace_block` frame. */
export function isFlatFrame(value: unknown): value is FlatFrame {
  if (!isRecord(value) || !isRecord(value["action"]) || !Array.isArray(value["traceAddress"])) {
    return false;
  }
  const { type, action } = value;
  const kinds = [type, action["callType"] ?? type, action["creationMethod"] ?? type];
  return kinds.every((kind) => typeof kind === "string");
}

/** Returns the frame and all its descendants. Iterative: a trace may be a thousand frames deep. */
export function framesOf(outermost: CallFrame): CallFrame[] {
  const frames = [outermost];
  for (const frame of frames) for (const call of frame.calls) frames.push(call);
  return frames;
}

function notATree(): NodeError {
  return new NodeError("bad-answer", "the frames of a block trace do not form a tree");
}

function frameOfFlat(flat: FlatFrame, filledIn: boolean): CallFrame {
  const { type, action, result } = flat;
  const frame: CallFrame = {
    type: type.toLowerCase(),
    from: requireSender(action.address ?? action.from),
    to: addressOrNull(action.to),
    value: action.value ?? null,
    gas: action.gas ?? null,
    gasUsed: result?.gasUsed ?? null,
    input: action.input ?? "0x",
    output: result?.output ?? null,
    error: readError(flat, filledIn),
    calls: [],
  };
  switch (frame.type) {
    case "call":
      frame.type = (action.callType ?? type).toLowerCase();
      break;
    case "create":
      frame.type = (action.creationMethod ?? type).toLowerCase();
      frame.to = addressOrNull(result?.address);
      frame.input = action.init ?? "0x";
      frame.output = result?.code ?? null;
      break;
    case "suicide":
    case "selfdestruct":
      frame.type = "selfdestruct";
      frame.to = addressOrNull(action.refundAddress);
      frame.value = action.balance ?? null;
      break;
  }
  return frame;
}

/** Requires the sender, which every client sends: without it, the frame's owner is unknown. */
function requireSender(address: Hex | undefined): Hex {
  if (typeof address === "string") return lowerOf(address);
  throw new NodeError("bad-answer", "a frame of a block trace has no sender");
}
