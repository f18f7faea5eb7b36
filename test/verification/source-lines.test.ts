import { expect, test } from "vitest";
import { lineAt } from "../../src/verification/source-lines.ts";

// PUSH1 0, PUSH2 0, ADD, REVERT.
const CODE = Buffer.from("600061000001fd", "hex");
const LINES = ["// é", "contract A {", "  revert();", "}"];
const FILES = new Map([[3, { path: "A.sol", text: LINES.join("\n") }]]);
/** In bytes: é has two. */
const REVERT = Buffer.byteLength(`${LINES.slice(0, 2).join("\n")}\n  `);

test("a place in code leads to its line: the map counts instructions and bytes, and repeats what it leaves out", () => {
  const map = `6:30:3:-:0;;${REVERT}:8;:`;
  const lineOf = (...counters: number[]) => lineAt(counters, CODE, map, FILES);
  expect(lineOf(0)).toEqual({ path: "A.sol", line: 2, text: "contract A {" });
  expect(lineOf(2)).toEqual(lineOf(0));
  expect(lineOf(5)).toEqual({ path: "A.sol", line: 3, text: "revert();" });
  expect(lineOf(6)).toEqual(lineOf(5));
  // Within an instruction, and behind the code.
  expect(lineOf(1)).toBeUndefined();
  expect(lineOf(7)).toBeUndefined();
});

test("code that the compiler added leads to the nearest step before it that has a file", () => {
  const map = `${REVERT}:8:3;0:5:4;0:1:-1;0:1:0`;
  expect(lineAt([6, 5, 2, 0], CODE, map, FILES)?.line).toBe(3);
  expect(lineAt([6, 5, 2], CODE, map, FILES)).toBeUndefined();
});
