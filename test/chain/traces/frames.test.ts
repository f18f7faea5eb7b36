import { describe, expect, test } from "vitest";
import {
  frameOfCallTracer,
  tracesOfDebugBlock,
  tracesOfFlatBlock,
} from "../../../src/chain/traces/frames.ts";
import { scriptedAddress } from "../../support/scripted-node/block.ts";
import { callTracerFrame, flatFrames } from "../../support/scripted-node/traces.ts";

const [a, b, c] = [scriptedAddress("a"), scriptedAddress("b"), scriptedAddress("c")];

const call = {
  from: a,
  to: b,
  valueWei: 5n,
  input: "0x01",
  output: "0x02",
  calls: [
    { type: "DELEGATECALL", from: b, to: c, output: "0x" },
    {
      type: "CREATE2",
      from: b,
      to: c,
      input: "0x60",
      output: "0xfe",
      calls: [{ from: c, to: a, output: "0x" }],
    },
    { type: "SELFDESTRUCT", from: b, to: a, valueWei: 7n },
    { from: b, to: a, output: "0x" },
  ],
} as const;

describe("callTracer", () => {
  test("becomes a tree of frames with lower-case types", () => {
    const frame = frameOfCallTracer(callTracerFrame(call));
    expect(frame).toMatchObject({ type: "call", from: a, to: b, value: "0x5", input: "0x01" });
    expect(frame.calls.map(({ type }) => type)).toEqual([
      "delegatecall",
      "create2",
      "selfdestruct",
      "call",
    ]);
    expect(frame.calls[1]?.calls).toMatchObject([{ type: "call", from: c, to: a, calls: [] }]);
    expect(frame.calls[2]).toMatchObject({ from: b, to: a, value: "0x7" });
  });

  test("names no contract for a creation that failed", () => {
    const failed = { type: "CREATE", from: a, to: b, gas: "0x1", error: "out of gas" };
    expect(frameOfCallTracer(failed)).toMatchObject({ to: null, error: "out of gas" });
  });

  test.each([null, ""])("succeeded where the node gives each frame an error of %j", (error) => {
    const created = { type: "Create", from: a, to: b, error };
    const result = { ...created, calls: [created, { ...created, error: "" }] };
    const success = { type: "create", to: b, error: null };
    const last = error === "" ? success : { to: null, error: "" };
    expect(tracesOfDebugBlock([{ result, error: null }])).toMatchObject([
      { frame: { ...success, calls: [success, last] } },
    ]);
  });

  test("failed without words where the frame around it has no error at all", () => {
    const failed = { type: "CALL", from: b, to: c, error: "" };
    const { calls } = frameOfCallTracer({ type: "CALL", from: a, to: b, calls: [failed] });
    expect(calls).toMatchObject([{ error: "" }]);
  });

  test("passes types through that nobody knows", () => {
    expect(frameOfCallTracer({ type: "EOFCREATE", from: a }).type).toBe("eofcreate");
  });

  test("gives the hash of each transaction where the node tells it", () => {
    const result = callTracerFrame(call);
    const traces = tracesOfDebugBlock([{ txHash: "0x1", result }, { result }]);
    expect(traces.map(({ transactionHash }) => transactionHash)).toEqual(["0x1", null]);
  });

  test.each([
    ["opcodes", [{ result: { gas: 21000, failed: false, returnValue: "", structLogs: [] } }]],
    ["null", null],
  ])("is missing where the answer is %s", (_, answer) => {
    expect(() => tracesOfDebugBlock(answer)).toThrow(
      expect.objectContaining({ code: "method-missing" }),
    );
  });

  test.each([
    ["a trace that is none", [{ txHash: "0x1", result: "0x" }]],
    ["a trace whose calls are no list", [{ result: { ...callTracerFrame(call), calls: {} } }]],
  ])("is not believed when it is %s", (_, answer) => {
    expect(() => tracesOfDebugBlock(answer)).toThrow(
      expect.objectContaining({ code: "bad-answer", retryable: true }),
    );
  });

  test("reports that the tracer gave up on a transaction", () => {
    const gaveUp = [{ txHash: "0x1", error: "execution timeout" }];
    expect(() => tracesOfDebugBlock(gaveUp)).toThrow(/gave up: execution timeout/);
  });
});

describe("flat frames", () => {
  const BLOCK = "0xb10c";
  const flat = flatFrames(callTracerFrame(call), {
    blockHash: BLOCK,
    transactionHash: "0x1",
    transactionPosition: 0,
  });

  test("become the same tree as those of callTracer", () => {
    const [trace] = tracesOfFlatBlock(flat, BLOCK);
    const expected = frameOfCallTracer(callTracerFrame(call));
    const destroyed = expected.calls[2];
    // The trace module has no gas of a self-destruct.
    if (destroyed) Object.assign(destroyed, { gas: null, gasUsed: null });
    expect(trace).toEqual({ transactionHash: "0x1", frame: expected });
  });

  test("may have an empty error each when they succeed", () => {
    const [filled] = tracesOfFlatBlock(
      flat.map((frame) => ({ ...frame, error: "" })),
      BLOCK,
    );
    expect(filled).toEqual(tracesOfFlatBlock(flat, BLOCK)[0]);
    const [trace] = tracesOfFlatBlock([flat[0], { ...flat[1], error: "" }], BLOCK);
    expect(trace?.frame).toMatchObject({ error: null, calls: [{ error: "" }] });
  });

  test("are put together by transaction; rewards belong to none", () => {
    const second = flatFrames(callTracerFrame({ from: c }), {
      transactionHash: "0x2",
      transactionPosition: 1,
    });
    const reward = { type: "reward", action: { author: a, value: "0x1" }, traceAddress: [] };
    const traces = tracesOfFlatBlock([...flat, ...second, reward], BLOCK);
    expect(traces.map(({ transactionHash }) => transactionHash)).toEqual(["0x1", "0x2"]);
    expect(traces[1]?.frame).toMatchObject({ from: c, calls: [] });
  });

  test("keep the error of a frame without a result", () => {
    const failing = callTracerFrame({ type: "CREATE", from: a, to: b, error: "Out of gas" });
    const [trace] = tracesOfFlatBlock(flatFrames(failing, { transactionPosition: 0 }), BLOCK);
    expect(trace).toMatchObject({
      transactionHash: null,
      frame: { type: "create", to: null, error: "Out of gas", output: null, gasUsed: null },
    });
  });

  test.each([
    ["a child stands without its parent", flat.slice(1)],
    ["one is missing between others", flat.toSpliced(2, 1)],
    ["a transaction has two roots", [flat[0], flat[0]]],
    ["a place is missing", [{ ...flat[0], traceAddress: null }]],
    ["an action is missing", [{ ...flat[0], action: undefined }]],
    ["one has no sender", [{ ...flat[0], action: { callType: "call", to: b } }]],
    ["they are of another block", flat.map((frame) => ({ ...frame, blockHash: "0xb10d" }))],
    ["they are no list", {}],
  ])("are not believed when %s", (_, frames) => {
    expect(() => tracesOfFlatBlock(frames, BLOCK)).toThrow(
      expect.objectContaining({ code: "bad-answer" }),
    );
  });
});
