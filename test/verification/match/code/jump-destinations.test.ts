import { expect, test } from "vitest";
import {
  foreignParts,
  jumpDestinations,
  mayBeRun,
  stopsAtEnd,
} from "../../../../src/verification/match/code/instructions.ts";
import { bytes, compiled } from "../../../support/compiled-code.ts";

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
  // Pushed bytes are not an instruction.
  ["3360fe", "0;1", false],
  ["3360", "0;1", false],
  // Data, behind INVALID.
  ["3333fe60", "0;1", true],
  ["333360fe", "0;1", false],
  ["fe", "", false],
])("whether code stops at its end: %s", (code, sourceMap, stops) => {
  expect(stopsAtEnd(bytes(code), sourceMap)).toBe(stops);
});

test.each([
  // In it, in front of it, and what is pushed.
  ["605b5b33", 2, 1, true],
  ["5b336033", 2, 1, true],
  ["5b603333", 2, 1, false],
  ["605b5b33", 1, 1, false],
  ["003333", 2, 1, false],
  // Behind a stop, and before.
  ["5b00335b", 2, 1, false],
  ["5b57335b", 2, 1, true],
  ["00335b", 1, 1, false],
  ["00335b", 2, 0, false],
  // The code begins without a jump.
  ["3333", 1, 1, true],
  // Bytes pushed before it change which bytes are instructions.
  [`7f${"00".repeat(30)}60735b33`, 33, 2, true],
  [`7f${"00".repeat(31)}605b33`, 34, 1, true],
  ["60735b33", 1, 1, false],
  // It takes what is behind it for what is pushed; at the end there is nothing.
  ["003360335b", 1, 2, true],
  ["003360335b", 1, 3, false],
  ["003361335b", 1, 3, true],
  ["00336033", 2, 2, false],
  ["003360", 2, 1, false],
])("whether a jump may lead to a part of code: %s", (code, offset, length, mayRun) => {
  expect(mayBeRun(bytes(code), [{ offset, length }])).toBe(mayRun);
});

test("what the compiler did not write: libraries, other metadata, and what is behind", () => {
  const library = { id: "L", offset: 1, length: 20 };
  const [inner, last] = [bytes("aabb"), bytes("ccdd")];
  const code = compiled(bytes("73", "00".repeat(20), "aabb", "fe", "ccdd"), {
    libraries: [library],
    auxdata: [
      { id: "1", offset: 21, value: inner },
      { id: "2", offset: 24, value: last },
    ],
  });
  const chain = (there: string) => bytes("73", "00".repeat(20), there);
  const behind = { offset: 26, length: 0 };
  expect(foreignParts(code, chain("aabbfeccdd"))).toEqual([library, behind]);
  expect(foreignParts(code, chain("aabcfeccdd00"))).toEqual([
    library,
    { offset: 21, length: 2 },
    { ...behind, length: 1 },
  ]);
  expect(foreignParts(code, chain("aabbfeccde00"))).toEqual([
    library,
    { offset: 24, length: 3 },
    { ...behind, length: 1 },
  ]);
  // All places of an address that was linked already, also of those that overlap.
  expect(foreignParts(compiled(bytes("aa")), bytes("aa33533353"), [bytes("3353")])).toEqual([
    { offset: 1, length: 2 },
    { offset: 3, length: 2 },
    { offset: 1, length: 4 },
  ]);
  expect(foreignParts(compiled(bytes("aa")), bytes("333333"), [bytes("3333")])).toEqual([
    { offset: 0, length: 2 },
    { offset: 1, length: 2 },
    { offset: 1, length: 2 },
  ]);
});
