import { describe, expect, test } from "vitest";
import type { Candidate } from "../../../src/verification/engine/attempt.ts";
import { explain } from "../../../src/verification/engine/explain.ts";
import type { CodeMatch, Mismatch } from "../../../src/verification/match/code/code-match.ts";
import { matched } from "../../support/compiled-code.ts";

type Attempt = Parameters<typeof explain>[0];
type Outcome = CodeMatch | Mismatch;

/** An attempt with these comparisons, each of a contract of ten bytes. */
function attempt(
  candidates: [name: string, runtime: Outcome, creation: Outcome | null][],
  rest: Partial<Attempt> = {},
) {
  return {
    input: { target: { path: null, name: null } },
    candidates: candidates.map(([name, runtime, creation]) => ({
      name,
      match: { runtime, creation },
      contract: { runtime: { bytes: Buffer.alloc(10) }, creation: { bytes: Buffer.alloc(20) } },
    })) as unknown as Candidate[],
    abstract: [],
    names: [],
    ...rest,
  } as unknown as Attempt;
}

function detailOf(runtime: Outcome, creation: Outcome | null = null, isVersionSure = true) {
  const failure = explain(attempt([["A", runtime, creation]]), isVersionSure);
  return failure.code === "bytecode" ? failure.detail : failure;
}

const bytesAt = (offset: number, metadataEqual = false): Mismatch => ({
  kind: "bytes",
  offset,
  metadataEqual,
});
const LENGTH: Mismatch = { kind: "length", compiled: 10, onChain: 12 };
const ARGUMENTS: Mismatch = { kind: "constructor-arguments", fault: "different", values: {} };
const UNEXPECTED: Mismatch = { ...ARGUMENTS, fault: "unexpected" };

describe("what does not match is told in words", () => {
  test.each<[Mismatch, string]>([
    [
      LENGTH,
      "A compiles to 10 bytes, 12 are on chain: look at the optimizer, its runs, viaIR and the EVM version.",
    ],
    [
      bytesAt(4),
      "The code of A parts at byte 4 of 10: look at the source, the optimizer, its runs, viaIR and the EVM version.",
    ],
    [
      bytesAt(4, true),
      "The metadata fits, but the code of A parts at byte 4: send the complete standard JSON, unused files included.",
    ],
    [
      { kind: "library", name: "M.sol:M" },
      "The code on chain holds different addresses for the library M.sol:M.",
    ],
    [{ kind: "immutable" }, "The code on chain holds different values for one immutable variable."],
    [{ kind: "call-protection" }, "The library on chain holds another address than its own."],
    [
      { kind: "empty" },
      "The compiler gives no runtime code of A: solc does so only for a Yul object that holds one other object. Without it the creation code on chain must be known, and it is not; with traces it would be.",
    ],
    [
      { kind: "runs-on" },
      "The creation code of A might run the data behind it, so that nothing is proven. This is so with verbatim, with setimmutable where solc gives no runtime code, before solc 0.6, and where the code does not stop at its end.",
    ],
    [
      UNEXPECTED,
      "A takes no constructor arguments, but there is something behind its creation code.",
    ],
  ])("%j", (mismatch, words) => {
    expect(detailOf(mismatch)).toBe(words);
  });

  test("with the compiler's version, where the code on chain does not name it", () => {
    expect(detailOf(LENGTH, null, false)).toContain("look at the compiler version, the optimizer");
    expect(detailOf(bytesAt(1), null, false)).toContain("look at the compiler version, the source");
  });

  test("the creation code counts where the runtime code matches", () => {
    expect(detailOf(matched(), bytesAt(7))).toContain("parts at byte 7");
    expect(detailOf(bytesAt(3), bytesAt(7))).toContain("parts at byte 3 of 10");
    expect(detailOf({ kind: "empty" }, bytesAt(7))).toContain("parts at byte 7 of 20");
    expect(detailOf(matched(), null)).toBe("");
    expect(detailOf(matched(), matched())).toBe("");
  });

  test("arguments that do not fit are a reason of their own", () => {
    expect(detailOf(bytesAt(1), ARGUMENTS)).toEqual({
      code: "constructor-arguments",
      detail: "The creation code ends in others than the request names.",
    });
    expect(
      detailOf(matched(), { kind: "constructor-arguments", fault: "malformed", values: {} }),
    ).toEqual({
      code: "constructor-arguments-unknown",
    });
    expect(detailOf(bytesAt(3), UNEXPECTED)).toContain("parts at byte 3 of 10");
  });
});

describe("of several contracts the closest is explained", () => {
  const closest = (...candidates: [string, Outcome, Outcome | null][]) => {
    const failure = explain(attempt(candidates), true);
    return failure.code === "bytecode" ? /\b[AB]\b/.exec(failure.detail)?.[0] : failure.code;
  };

  test("by the first byte that differs, in either code", () => {
    expect(closest(["A", bytesAt(1), null], ["B", bytesAt(2), null])).toBe("B");
    expect(closest(["A", bytesAt(2), null], ["B", bytesAt(1), null])).toBe("A");
    expect(closest(["A", bytesAt(2), null], ["B", LENGTH, bytesAt(9)])).toBe("B");
    expect(closest(["A", LENGTH, null], ["B", bytesAt(0), null])).toBe("B");
    expect(closest(["A", { kind: "empty" }, null], ["B", bytesAt(0), null])).toBe("B");
    expect(closest(["A", matched(), bytesAt(0)], ["B", bytesAt(1), null])).toBe("B");
  });

  test("above all one in which only a value differs", () => {
    expect(closest(["A", bytesAt(9), null], ["B", bytesAt(0), ARGUMENTS])).toBe(
      "constructor-arguments",
    );
  });
});

describe("without a contract to compare", () => {
  test("an abstract one is named", () => {
    expect(explain(attempt([], { abstract: ["A", "B"] }), true)).toEqual({
      code: "abstract-contract",
      name: "A",
    });
  });

  test.each([
    [null, null, "contract"],
    [null, "B", "B"],
    ["b.sol", "B", "b.sol:B"],
  ])("those that there are are listed: %s %s", (path, name, requested) => {
    const input = { target: { path, name } } as unknown as Attempt["input"];
    expect(explain(attempt([], { input, names: [{ path: "a.sol", name: "A" }] }), true)).toEqual({
      code: "contract-name",
      requested,
      available: ["a.sol:A"],
    });
  });
});
