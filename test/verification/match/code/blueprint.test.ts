import { expect, test } from "vitest";
import { initCodeOfBlueprint } from "../../../../src/verification/match/code/instructions.ts";
import { bytes } from "../../../support/compiled-code.ts";

test("a blueprint holds init code behind its preamble", () => {
  expect(initCodeOfBlueprint(bytes("fe71006001"))).toEqual(bytes("6001"));
});

test.each([
  ["nothing", ""],
  ["other code", "60016002"],
  ["half of the preamble", "fe61000160"],
  ["no encoding bits", "fe71"],
  ["nothing behind the preamble", "fe7100"],
  ["data with a length of one byte", "fe710102aabb6001"],
  ["data with a length of two bytes", "fe71020001aa60"],
  ["no data, with a length", "fe71010060"],
  ["another version", "fe710460"],
  ["a preamble behind other code", "00fe710060"],
])("%s is no blueprint that counts", (_case, code) => {
  expect(initCodeOfBlueprint(bytes(code))).toBeNull();
});
