import { expect, test } from "vitest";
import {
  jumpDestinations,
  mayBeJumpedInto,
  stopsAtEnd,
} from "../../../src/verification/match/jump-destinations.ts";
import { bytes } from "../../support/compiled-code.ts";

const [PUSH1, PUSH32, DUP1] = ["605b", `7f${"5b".repeat(32)}`, "80"];

test("jump destinations are instructions, not what is pushed, and not data", () => {
  const code = bytes(PUSH1, "5b", PUSH32, "5b", DUP1, "5b", "5f", "5b", "00", "5b");
  expect(jumpDestinations(code, "0;1;2;3;4;5;6;7;8")).toEqual(new Set([2, 36, 38, 40]));
});

test("a source map of more instructions than there are does not fit", () => {
  expect(jumpDestinations(bytes("5b5b"), "0;1")).toEqual(new Set([0, 1]));
  expect(jumpDestinations(bytes("5b5b"), "0;1;2")).toBeNull();
  expect(jumpDestinations(bytes("5b60"), "0;1")).toBeNull();
});

test.each([
  ["3300", "0;1", true],
  ["33f3", "0;1", true],
  ["3333", "0;1", false],
  // What is pushed is no instruction.
  ["3360fe", "0;1", false],
  ["3360", "0;1", false],
  // Data, behind INVALID.
  ["3333fe60", "0;1", true],
  ["333360fe", "0;1", false],
  ["fe", "", false],
])("whether code stops at its end: %s", (code, sourceMap, stops) => {
  expect(stopsAtEnd(bytes(code), sourceMap)).toBe(stops);
});

test("bytes with a jump destination may be jumped into", () => {
  expect(mayBeJumpedInto(bytes("605b"))).toBe(true);
  expect(mayBeJumpedInto(bytes("6001"))).toBe(false);
});
