import { keccak256, stringToBytes } from "viem/utils";
import { expect, test } from "vitest";
import { readCompiledCode } from "../../../../src/verification/match/code/bytecode.ts";
import { bytes } from "../../../support/compiled-code.ts";

const ZEROS = "00".repeat(20);
/** keccak-256 of `src/Maths.sol:Maths` begins with these digits. */
const HASHED = "__$f0984c17330a06cd8e4ffd78eb6cdf2881$__";

function read(object: string, linkReferences = {}, immutableReferences = {}) {
  return readCompiledCode({ object, linkReferences, immutableReferences });
}

/** References to one library at byte 1. */
function libraryAt(path: string, name = "Maths") {
  return { [path]: { [name]: [{ start: 1, length: 20 }] } };
}

test("code without open places is read as it stands", () => {
  expect(read("6001")).toEqual({
    bytes: bytes("6001"),
    libraries: [],
    immutables: [],
    auxdata: [],
  });
});

test("immutables are listed by their variable", () => {
  const references = { "7": [{ start: 1, length: 32 }], "9": [{ start: 40, length: 32 }] };
  expect(read("6001", {}, references)?.immutables).toEqual([
    { id: "7", offset: 1, length: 32 },
    { id: "9", offset: 40, length: 32 },
  ]);
});

test.each([
  ["a hash", "src/Maths.sol", HASHED],
  ["path and name", "Maths.sol", "__Maths.sol:Maths".padEnd(40, "_")],
  ["path and name, cut", `${"x".repeat(40)}.sol`, `__${"x".repeat(36)}__`],
  ["the name", "", "__Maths".padEnd(40, "_")],
  // As solc 0.8.28 writes `linkersymbol("Maths")` of Yul.
  ["a hash of the name", "", `__$${keccak256(stringToBytes("Maths")).slice(2, 36)}$__`],
])("a library's placeholder becomes zeros: %s", (_case, path, placeholder) => {
  expect(placeholder).toHaveLength(40);
  expect(read(`73${placeholder}5b`, libraryAt(path))).toMatchObject({
    bytes: bytes("73", ZEROS, "5b"),
    libraries: [{ id: `${path}:Maths`, offset: 1, length: 20 }],
  });
});

test("places that are linked already are listed by old compilers alone", () => {
  const linked = `73${"ab".repeat(20)}5b`;
  expect(read(linked, libraryAt(""))).toMatchObject({ bytes: bytes(linked), libraries: [] });
  expect(read(linked, libraryAt("Maths.sol"))).toBeUndefined();
});

test.each([
  ["a placeholder of another library", `73${"__Other.sol:Other".padEnd(40, "_")}5b`],
  ["an odd number of digits", `73${"__Maths".padEnd(40, "_")}5`],
  [
    "a placeholder that is not listed",
    `73${"__Maths".padEnd(40, "_")}73${"__Maths".padEnd(40, "_")}`,
  ],
])("code with %s cannot be read", (_case, object) => {
  expect(read(object, libraryAt(""))).toBeUndefined();
});
