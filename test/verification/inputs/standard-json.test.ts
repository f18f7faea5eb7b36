import { expect, test } from "vitest";
import { collectSources } from "../../../src/verification/inputs/compiler-input.ts";
import { readStandardJson } from "../../../src/verification/inputs/standard-json.ts";

function read(text: string, name = "A", compiler: "solc" | "vyper" = "solc") {
  return readStandardJson(text, name, compiler);
}

test.each([
  ["no JSON", "contract A {}", "It does not parse."],
  ["no object", "[]", "It is not an object."],
  ["no sources", '{"language":"Solidity"}', "It names no sources."],
  ["an empty set of sources", '{"language":"Solidity","sources":{}}', "It names no sources."],
  [
    "a source without its text",
    '{"language":"Solidity","sources":{"a.sol":{"urls":["http://127.0.0.1/"]}}}',
    "The text of a.sol is missing.",
  ],
  [
    "a text that is none",
    '{"language":"Solidity","sources":{"a.sol":{"content":1}}}',
    "The text of a.sol is missing.",
  ],
  [
    "a language of the compiler's own",
    '{"language":"SolidityAST","sources":{"a":{"content":""}}}',
    "The language must be Solidity or Yul.",
  ],
  [
    "assembly",
    '{"language":"EVMAssembly","sources":{"a":{"content":""}}}',
    "The language must be Solidity or Yul.",
  ],
  [
    "settings that are none",
    '{"language":"Solidity","sources":{"a":{"content":""}},"settings":[]}',
    "The settings are not an object.",
  ],
  ["lists in lists without an end", `${"[".repeat(1e6)}`, "It is nested deeper than 32 levels."],
  ["objects in objects", `{"a":`.repeat(33), "It is nested deeper than 32 levels."],
])("refuses %s", (_what, text, detail) => {
  expect(() => read(text)).toThrow(`Invalid JSON file. ${detail}`);
});

test("brackets within texts are no levels", () => {
  const content = `${"[{".repeat(100)}"\\`;
  const text = JSON.stringify({ language: "Solidity", sources: { "a.sol": { content } } });
  expect(read(text).sources.get("a.sol")).toBe(content);
});

test("a file with the name of a property of objects is a file", () => {
  const text =
    '{"language":"Solidity","sources":{"__proto__":{"content":"x"},"constructor":{"content":"y"}}}';
  expect([...read(text).sources]).toEqual([
    ["__proto__", "x"],
    ["constructor", "y"],
  ]);
});

test("a name is split at its last colon", () => {
  const text = '{"language":"Solidity","sources":{"a":{"content":""}}}';
  expect(read(text, "lib:x/A.sol:A").target).toEqual({ path: "lib:x/A.sol", name: "A" });
  expect(read(text, "A").target).toEqual({ path: null, name: "A" });
  expect(read(text, "").target).toEqual({ path: null, name: null });
});

test("vyper keeps its interfaces, and its files are contracts", () => {
  const text = JSON.stringify({
    language: "Vyper",
    sources: { "v.vy": { content: "" } },
    interfaces: { "i.json": { abi: [] } },
    settings: { evmVersion: "cancun" },
  });
  expect(read(text, "v.vy:v", "vyper")).toMatchObject({
    rest: { interfaces: { "i.json": { abi: [] } } },
    target: { path: "v.vy", name: null },
  });
});

test.each([
  ["v", ["v.vy"], "v.vy", null],
  ["v", ["i.vyi", "src/v.vy", "src/vv.vy"], "src/v.vy", null],
  ["v", ["v.vyi"], null, "v"],
  ["v", ["a/v.vy", "b/v.vy"], null, "v"],
  ["b/v.vy:v", ["a/v.vy", "b/v.vy"], "b/v.vy", null],
  ["", ["v.vy"], null, null],
])("%j of the vyper files %j is %s", (contract, paths, path, name) => {
  const sources = Object.fromEntries(paths.map((each) => [each, { content: "" }]));
  const text = JSON.stringify({ language: "Vyper", sources });
  expect(read(text, contract, "vyper").target).toEqual({ path, name });
});

test("interfaces of vyper are bounded with the sources, and are what they are to be", () => {
  const vyper = (interfaces: unknown) =>
    read(
      JSON.stringify({
        language: "Vyper",
        sources: { "v.vy": { content: "x".repeat(2_500_000) } },
        interfaces,
      }),
      "v.vy:v",
      "vyper",
    );
  const half = { content: "x".repeat(1_000_000) };
  expect(() => vyper({ "a.vy": half, "b.vy": half })).not.toThrow();
  expect(() => vyper({ "a.vy": half, "b.vy": half, "c.vy": half })).toThrow("larger than 5 MB");
  expect(() => vyper({ "a\n": { abi: [] } })).toThrow("A path is not printable text.");
  expect(() => vyper([])).toThrow("interfaces is not an object.");
});

test("bounds the number, the size and the names of files", () => {
  const many = Array.from({ length: 1001 }, (_, index) => ({ path: String(index), text: "" }));
  expect(() => collectSources(many)).toThrow("There are more than 1000 source files.");
  expect(() => collectSources([{ path: "a", text: "x".repeat(16 * 2 ** 20 + 1) }])).toThrow(
    "The sources are larger than 5 MB.",
  );
  expect(() => collectSources([{ path: "ä".repeat(251), text: "" }])).toThrow(
    "longer than 500 bytes",
  );
  for (const path of ["a\u0000", "a\nb", "\ud800"]) {
    expect(() => collectSources([{ path, text: "" }])).toThrow("A path is not printable text.");
  }
});
