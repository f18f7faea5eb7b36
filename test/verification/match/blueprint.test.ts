import { expect, test } from "vitest";
import { initCodeOfBlueprint } from "../../../src/verification/match/blueprint.ts";
import { bytes } from "../../support/compiled-code.ts";

test.each([
  ["no data", "fe7100" + "60", "60"],
  ["data with a length of one byte", "fe7101" + "02" + "aabb" + "6001", "6001"],
  ["data with a length of two bytes", "fe7102" + "0001" + "aa" + "60", "60"],
  ["another version", "fe7105" + "01" + "aa" + "60", "60"],
])("a blueprint holds init code behind its preamble: %s", (_case, code, initCode) => {
  expect(initCodeOfBlueprint(bytes(code))).toEqual(bytes(initCode));
});

test.each([
  ["nothing", ""],
  ["other code", "60016002"],
  ["half of the preamble", "fe61000160"],
  ["no encoding bits", "fe71"],
  ["nothing behind the preamble", "fe7100"],
  ["a length that ends early", "fe710200"],
  ["nothing behind the length", "fe710100"],
  ["data that ends early", "fe710105aabb"],
  ["nothing behind the data", "fe710102aabb"],
  ["a length of three bytes", "fe7103000001aa60"],
])("%s is no blueprint", (_case, code) => {
  expect(initCodeOfBlueprint(bytes(code))).toBeNull();
});
