import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LargeAnswer, type Sift } from "../../../src/chain/rpc/large-answer.ts";
import { boundInputs, siftFlat, siftTrees } from "../../../src/chain/traces/call-inputs.ts";
import {
  frameOfCallTracer,
  tracesOfDebugBlock,
  tracesOfFlatBlock,
} from "../../../src/chain/traces/frames.ts";
import type { CallFrame, TransactionTrace } from "../../../src/chain/types.ts";
import type { Hex } from "../../../src/core/evm/hex.ts";
import { scriptedAddress } from "../../support/scripted-node/block.ts";
import type { CallSpecification } from "../../support/scripted-node/specification.ts";
import { callTracerFrame, flatFrames } from "../../support/scripted-node/traces.ts";

const [a, b] = [scriptedAddress("a"), scriptedAddress("b")];

function bytes(count: number): Hex {
  return `0x${"ab".repeat(count)}`;
}

function call(inputBytes: number, others: Partial<CallSpecification> = {}): CallSpecification {
  return { from: a, to: b, input: bytes(inputBytes), output: "0x02", ...others };
}

function sizes(frame: CallFrame): (number | "not kept")[] {
  const own = frame.input === "" ? "not kept" : (frame.input.length - 2) / 2;
  return [own, ...frame.calls.flatMap(sizes)];
}

/** The sizes of inputs that are kept of a transaction that used `gas`. */
function kept(outermost: CallSpecification, gas: number): (number | "not kept")[] {
  const frame = frameOfCallTracer(callTracerFrame(outermost));
  boundInputs(frame, `0x${gas.toString(16)}`);
  return sizes(frame);
}

describe("inputs of internal calls", () => {
  test("are kept while they are no more bytes than the gas, and 4,096 more", () => {
    const calls = [call(3000), call(2000)];
    expect(kept(call(9000, { calls }), 904)).toEqual([9000, 3000, 2000]);
    expect(kept(call(9000, { calls }), 903)).toEqual([9000, "not kept", "not kept"]);
  });

  test("are kept up to 256 bytes whatever they are together", () => {
    const calls = [call(256), call(257), call(50_000, { calls: [call(0), call(4)] })];
    expect(kept(call(1, { calls }), 21_000)).toEqual([1, 256, "not kept", "not kept", 0, 4]);
  });

  test("do not count init code, which is always kept", () => {
    const creation = call(49_152, { type: "CREATE2", output: "0xfe", calls: [call(5000)] });
    const frame = frameOfCallTracer(callTracerFrame(call(0, { calls: [creation] })));
    boundInputs(frame, "0x5208");
    expect(sizes(frame)).toEqual([0, 49_152, 5000]);
    expect(frame).toMatchObject({ output: "0x02", calls: [{ output: "0xfe" }] });
    expect(frame.calls[0]?.calls[0]?.output).toBeNull();
  });
});

const { tree: anyCall } = fc.letrec<{ tree: CallSpecification }>((tie) => ({
  tree: fc
    .record({
      size: fc.oneof(fc.integer({ min: 0, max: 10 }), fc.integer({ min: 250, max: 9000 })),
      type: fc.constantFrom("CALL", "DELEGATECALL", "STATICCALL", "CREATE", "CREATE2"),
      calls: fc.oneof(
        { depthSize: "small" },
        fc.constant([]),
        fc.array(tie("tree"), { maxLength: 3 }),
      ),
    })
    .map(({ size, type, calls }) => call(size, { type, calls })),
}));
const anyBlock = fc.array(
  fc.record({ outermost: anyCall, gas: fc.integer({ min: 0, max: 30_000 }) }),
  { minLength: 1, maxLength: 4 },
);
const hashOf = (position: number): Hex => `0x${String(position).padStart(64, "0")}`;

/** An answer as it is read in pieces of `piece` bytes. */
function readPiecewise(result: unknown, sift: Sift, piece: number): unknown {
  const answer = new LargeAnswer(sift);
  const text = Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: 1, result }));
  for (let at = 0; at < text.length; at += piece) answer.read(text.subarray(at, at + piece));
  return (answer.end() as { result: unknown }).result;
}

function bounded(traces: TransactionTrace[], gasUsed: readonly Hex[]): TransactionTrace[] {
  for (const [index, { frame }] of traces.entries()) boundInputs(frame, gasUsed[index]);
  return traces;
}

describe("an answer read piece by piece", () => {
  test.each(["debug_traceBlockByHash", "debug_traceTransaction", "trace_block"])(
    "of %s tells the same as one read at once",
    (method) => {
      fc.assert(
        fc.property(anyBlock, fc.integer({ min: 100, max: 100_000 }), (block, piece) => {
          const gasUsed = block.map(({ gas }): Hex => `0x${gas.toString(16)}`);
          const frames = block.map(({ outermost }) => callTracerFrame(outermost));
          const [answer, sift, read] = {
            debug_traceBlockByHash: [
              frames.map((result, index) => ({ txHash: hashOf(index), result })),
              siftTrees(gasUsed, 3),
              (result: unknown) => tracesOfDebugBlock(result),
            ],
            debug_traceTransaction: [
              frames[0],
              siftTrees(gasUsed, 1),
              (result: unknown) => [
                { transactionHash: hashOf(0), frame: frameOfCallTracer(result) },
              ],
            ],
            trace_block: [
              frames.flatMap((frame, transactionPosition) =>
                flatFrames(frame, { transactionPosition, blockHash: hashOf(9) }),
              ),
              siftFlat(gasUsed),
              (result: unknown) => tracesOfFlatBlock(result, hashOf(9)),
            ],
          }[method] as [unknown, Sift, (result: unknown) => TransactionTrace[]];
          const atOnce = bounded(read(structuredClone(answer)), gasUsed);
          expect(bounded(read(readPiecewise(answer, sift, piece)), gasUsed)).toEqual(atOnce);
        }),
      );
    },
  );

  test("holds no input that is not kept, and nothing that a call returned", () => {
    const calls = Array.from({ length: 50 }, () => call(9000, { output: bytes(9000) }));
    const result = [{ result: callTracerFrame(call(0, { calls })) }];
    const read = readPiecewise(result, siftTrees(["0x5208"], 3), 1000);
    expect(JSON.stringify(read).length).toBeLessThan(70_000);
  });

  test.each([
    ['{"result":[{"result":', "bad-answer"],
    ["<html>", "bad-answer"],
  ])("%s is no answer", (text, code) => {
    const answer = new LargeAnswer(() => {});
    const read = (): unknown => {
      answer.read(Buffer.from(text));
      return answer.end();
    };
    expect(read).toThrow(expect.objectContaining({ code }));
  });
});
