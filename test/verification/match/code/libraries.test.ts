import { expect, test } from "vitest";
import { librariesIn } from "../../../../src/verification/match/code/bytecode.ts";

test("the libraries of an assembly are those whose addresses it pushes, wherever", () => {
  const assembly = {
    ".code": [
      { name: "PUSHLIB", value: "a.sol:A" },
      { name: "PUSH", value: "b.sol:B" },
      { name: "PUSHLIB", value: 7 },
      null,
    ],
    ".data": { "0": { ".code": [{ name: "PUSHLIB", value: "C" }] } },
  };
  expect(librariesIn(assembly)).toEqual(new Set(["a.sol:A", "C"]));
});

test("no assembly has none", () => {
  expect(librariesIn(null)).toEqual(new Set());
  expect(librariesIn("PUSHLIB")).toEqual(new Set());
});

test("they are looked for in 64 levels", () => {
  const at = (depth: number) => {
    let tree: unknown = { name: "PUSHLIB", value: "A" };
    for (let left = depth; left > 0; left--) tree = [tree];
    return librariesIn(tree).size;
  };
  expect([at(64), at(65)]).toEqual([1, 0]);
});
