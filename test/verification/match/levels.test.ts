import { describe, expect, test } from "vitest";
import type { Mismatch } from "../../../src/verification/match/code/code-match.ts";
import { type ContractMatch, levelsOf } from "../../../src/verification/match/contract-match.ts";
import { compiled, matched } from "../../support/compiled-code.ts";

const FULL = matched();
const PARTIAL = matched({ quality: "partial" });
const OTHER: Mismatch = { kind: "empty" };
const ARGUMENTS: Mismatch = { kind: "constructor-arguments", fault: "different", values: {} };

function levels(
  runtime: ContractMatch["runtime"],
  creation: ContractMatch["creation"],
  isBlueprint = false,
) {
  const code = compiled(Buffer.alloc(0));
  return levelsOf(
    { runtime, creation, compiledRuntime: code, compiledCreation: code },
    isBlueprint,
  );
}

describe("what the comparison of both codes is worth", () => {
  test("both match", () => {
    expect(levels(FULL, FULL)).toEqual({
      runtime: FULL,
      creation: FULL,
      isConstructorCompared: true,
      needsTrial: false,
    });
  });

  test("one of them has other metadata", () => {
    const there = matched({
      quality: "partial",
      transformations: [{ type: "replace", reason: "cborAuxdata", offset: 1, id: "1" }],
    });
    const cut: Mismatch = { ...ARGUMENTS, values: { cborAuxdata: { "1": "0x00" } } };
    expect(levels(FULL, there)).toMatchObject({ runtime: PARTIAL, creation: there });
    expect(levels(there, FULL)).toMatchObject({ runtime: there, creation: PARTIAL });
    expect(levels(FULL, cut)).toMatchObject({ runtime: PARTIAL, creation: null });
  });

  test("the creation is not known, or has not run", () => {
    const neither = { isConstructorCompared: false, needsTrial: false };
    expect(levels(FULL, null)).toEqual({ runtime: FULL, creation: null, ...neither });
    expect(levels(FULL, FULL, true)).toEqual({ runtime: FULL, creation: FULL, ...neither });
    expect(levels(FULL, OTHER, true)).toEqual({ runtime: FULL, creation: null, ...neither });
  });

  test("another constructor ran: partial until the compiled one is tried", () => {
    expect(levels(FULL, OTHER)).toEqual({
      runtime: PARTIAL,
      creation: null,
      isConstructorCompared: false,
      needsTrial: true,
    });
  });

  test("the compiled constructor ran with other arguments", () => {
    expect(levels(FULL, ARGUMENTS)).toEqual({
      runtime: FULL,
      creation: null,
      isConstructorCompared: true,
      needsTrial: false,
    });
  });

  test("other code than the compiled is left: partial", () => {
    expect(levels(OTHER, FULL)).toEqual({
      runtime: null,
      creation: PARTIAL,
      isConstructorCompared: true,
      needsTrial: false,
    });
    expect(levels(OTHER, OTHER)).toEqual({
      runtime: null,
      creation: null,
      isConstructorCompared: false,
      needsTrial: false,
    });
  });
});
