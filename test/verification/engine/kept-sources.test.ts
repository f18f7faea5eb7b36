import path from "node:path";
import { expect, test } from "vitest";
import { keptSources } from "../../../src/verification/engine/kept-sources.ts";
import { readStandardJson } from "../../../src/verification/inputs/standard-json.ts";

function kept(input: object) {
  const read = readStandardJson(
    JSON.stringify({ language: "Vyper", ...input }),
    "Main.vy",
    "vyper",
  );
  return keptSources(read, "Main.vy", "");
}

function keptAt(path: string) {
  const text = "contract Main {}";
  const input = { language: "Solidity", sources: { [path]: { content: text } } };
  return keptSources(readStandardJson(JSON.stringify(input), "Main", "solc"), path, "").sources;
}

const main = { "Main.vy": { content: "import ITotal as ITotal\nfrom lib import helper\n" } };

test("what vyper was given beside the sources is kept of the files that belong to the contract", () => {
  const used = {
    "ITotal.vy": { content: "from . import IDeeper" },
    "IDeeper.json": { abi: [{ type: "fallback" }] },
  };
  expect(
    kept({
      sources: { ...main, "lib/helper.vy": { content: "" }, "alien.vy": { content: "" } },
      interfaces: { ...used, "IAlien.json": { abi: [] } },
      storage_layout_overrides: {
        "Main.vy": { total: { slot: 7 } },
        "lib/helper.vy": { total: { slot: 8 } },
        "alien.vy": {},
      },
    }),
  ).toEqual({
    sources: [
      { path: "Main.vy", text: main["Main.vy"].content },
      { path: "lib/helper.vy", text: "" },
    ],
    further: { interfaces: used, storage_layout_overrides: { "Main.vy": { total: { slot: 7 } } } },
  });
});

test("nothing is kept where nothing of it belongs to the contract", () => {
  expect(kept({ sources: main, interfaces: { "IAlien.json": { abi: [] } } }).further).toEqual({});
});

test("an interface out of the project is refused, one that is not imported is not looked at", () => {
  const interfaces = (path: string) => kept({ sources: main, interfaces: { [path]: { abi: [] } } });
  expect(() => interfaces("../ITotal.json")).toThrow(
    "leads out of the project, and to no source file",
  );
  expect(interfaces("../IAlien.json").further).toEqual({});
});

test.each([
  "../Main.sol",
  "./../Main.sol",
  "../../../lib/Main.sol",
  "/Users/owner/project/contracts/Main.sol",
  "C:/project/contracts/Main.sol",
  "c:\\project\\Main.sol",
  "./src/../src/Main.sol",
  "lib/base/../../src/Main.sol",
  "../lib/base/../Main.sol",
])(
  "a source out of the project, or by way of other folders, is kept under its path, like %s",
  (path) => {
    expect(keptAt(path)).toEqual([{ path, text: "contract Main {}" }]);
  },
);

function keptBoth(first: string, second: string) {
  const files = { [first]: { content: "1" }, [second]: { content: "2" } };
  const input = readStandardJson(
    JSON.stringify({ language: "Solidity", sources: files }),
    "Main",
    "solc",
  );
  return keptSources(input, first, JSON.stringify({ sources: files })).sources;
}

test.each([
  ["npm/@fee/contracts@4.9.3/Fee.sol", "npm/@fee/contracts@5.0.0/Fee.sol"],
  ["lib/a/node_modules/@fee/Fee.sol", "lib/b/node_modules/@fee/Fee.sol"],
  ["node_modules/@fee/Fee.sol", "../../node_modules/@fee/Fee.sol"],
  ["../node_modules/@fee/Fee.sol", "../../node_modules/@fee/Fee.sol"],
  ["/home/owner/node_modules/@fee/Fee.sol", "home/owner/node_modules/@fee/Fee.sol"],
  ["C:/node_modules/@fee/Fee.sol", "D:/node_modules/@fee/Fee.sol"],
])("two versions of a package are kept beside each other, %s and %s", (first, second) => {
  expect(keptBoth(first, second)).toEqual([
    { path: first, text: "1" },
    { path: second, text: "2" },
  ]);
});

test.each([
  ["Fee.sol", "./Fee.sol"],
  ["Fee.sol", "\uff0e/Fee.sol"],
  ["lib/Fee.sol", "lib\\Fee.sol"],
  ["lib/Fee.sol", "lib\uff0fFee.sol"],
  ["/lib/Fee.sol", "//lib/./Fee.sol"],
  ["../../Fee.sol", "./../.././Fee.sol"],
  ["../Fee.sol", "\u2025/Fee.sol"],
  ["../Fee.sol", ".. /Fee.sol"],
  ["src/Fee.sol", "lib/../src/Fee.sol"],
  ["../Fee.sol", "../lib/base/../../Fee.sol"],
])("two texts have no one place, %s and %s", (first, second) => {
  expect(() => keptBoth(first, second)).toThrow("occurs twice");
});

/** All paths of a file of up to `steps` steps before its name. */
function pathsOf(steps: number): string[] {
  if (steps === 0) return ["F.sol"];
  return pathsOf(steps - 1).flatMap((rest) => [rest, `a/${rest}`, `b/${rest}`, `../${rest}`]);
}

test("paths have one place where Node's own resolution leads them to one, and only there", () => {
  const paths = [...new Set(pathsOf(4))].filter((one) => !/[ab]\/\.\.\/\.\./.test(one));
  for (const first of paths) {
    const second = path.posix.normalize(first);
    if (first !== second) expect(() => keptBoth(first, second)).toThrow("occurs twice");
    const other = path.posix.join(second, "../c/F.sol");
    expect(keptBoth(first, other)).toHaveLength(2);
  }
});

test.each([
  "/../Main.sol",
  "C:/../Main.sol",
  "../.bashrc",
  "./../.bashrc",
  "/etc/cron.d/Main",
  "c:Main",
  "\\\\host\\share\\Main",
  "src/../../Main.sol",
  "../src/../../Main.sol",
  "/src/../../Main.sol",
  "src/lib/../../../Main.sol",
])("another file out of the project is refused, like %s", (path) => {
  expect(() => keptAt(path)).toThrow("leads out of the project");
});

test.each([
  ["a comment", "# import alien as alien\nx: uint256  # sent from alien\n"],
  ["a text of several lines", '"""\n@notice\nimport alien as alien\nfrom . import alien\n"""\n'],
  ["a statement about what is imported", "import lib as lib\nexports: alien.pay\nuses: alien\n"],
  ["another folder", "import elsewhere.alien as alien\n"],
  ["a longer name", "import unalien as alien\n"],
  [
    "an interface of the compiler's own",
    "from ethereum.ercs import IERC20\nfrom vyper.interfaces import ERC20\n",
  ],
])("a file that only %s names is not kept", (_what, content) => {
  const aliens = ["alien.vy", "alien.txt", "ethereum/ercs/IERC20.vyi", "vyper/interfaces/ERC20.vy"];
  const sources = Object.fromEntries(aliens.map((path) => [path, { content: "" }]));
  expect(kept({ sources: { "Main.vy": { content }, ...sources } }).sources).toEqual([
    { path: "Main.vy", text: content },
  ]);
});

test.each([
  ["import lib", "lib.vy"],
  ["import lib.deep as d", "src/lib/deep.vyi"],
  ["from lib import deep", "lib/deep.json"],
  ["from .. import deep as d", "deep.vy"],
  ["from .lib import (\n  # why\n  deep as d\n)", "./lib/deep.vy"],
  ["from lib \\\n  import deep", "lib/deep.vy"],
  // Vyper 0.4.3 compiles each of these.
  ["from\f. import deep", "deep.vy"],
  ["from.import deep", "deep.vy"],
  ["from . import(deep)", "deep.vy"],
  ["import lib . deep as deep", "lib/deep.vy"],
  ["import \uff44eep as deep", "deep.vy"],
  ["import caf\u00e9 as deep", "caf\u00e9.vy"],
  ["import cafe\u0301 as deep", "caf\u00e9.vy"],
  ["from lib import a, deep", "lib/deep.vy"],
  ["from lib import (\n    a as b, # why\n    deep,\n)", "lib/deep.vy"],
  [`import${" \t".repeat(1000)}deep as d`, "deep.vy"],
  [`from${" ".repeat(2000)}lib import deep`, "lib/deep.vy"],
  [`from lib import (${"\n".repeat(2000)}deep)`, "lib/deep.vy"],
  ["# note\rimport deep", "deep.vy"],
  ["import \\\r deep", "deep.vy"],
  ['"""\\"""\n"""\nimport deep', "deep.vy"],
  ['a: constant(uint256) = 4 // len("""\n""")\nimport deep', "deep.vy"],
  ['a: constant(String[9]) = "a\\\n"""\nimport deep', "deep.vy"],
  ['a: constant(String[9]) = "a\\\r\n"""\nimport deep', "deep.vy"],
])("what %s names is kept", (content, path) => {
  const sources = { "Main.vy": { content: `x: String[3]\n${content}\n` }, [path]: { content: "" } };
  expect(kept({ sources }).sources.map((file) => file.path)).toEqual(["Main.vy", path]);
});

test("a byte order mark in front of an import hides nothing", () => {
  const sources = { "Main.vy": { content: "\ufeffimport deep" }, "deep.vy": { content: "" } };
  expect(kept({ sources }).sources).toHaveLength(2);
});

test("solc before 0.4.7 names no files: those that are imported are kept", () => {
  const content = `// import "alien.sol";
contract Main {} import * as a from './a.sol';
import {B,
  C} from "lib/b.sol"; import "c.sol" as C;
contract Texts { string text = "\\
/*"; } import "d.sol"; /* " */`;
  const files = ["a.sol", "lib/b.sol", "c.sol", "d.sol", "alien.sol"].map((path) => [
    path,
    { content: "" },
  ]);
  const input = {
    language: "Solidity",
    sources: { "Main.sol": { content }, ...Object.fromEntries(files) },
  };
  const read = readStandardJson(JSON.stringify(input), "Main.sol:Main", "solc");
  expect(keptSources(read, "Main.sol", "").sources.map(({ path }) => path)).toEqual([
    "Main.sol",
    "a.sol",
    "lib/b.sol",
    "c.sol",
    "d.sol",
  ]);
});

test.each([
  '"',
  "'",
  '\\"',
  " ",
  "\n",
  "from ",
  '"""\\',
  "import a .b",
  "import (\n",
  '"""',
  "import a\n",
  "import a, ",
  "from a import (\n",
  "()",
  "import a,\n",
])("a megabyte of %j is read in a time that grows with its length", (part) => {
  const content = `"${part.repeat(1_000_000 / part.length)}`;
  expect(kept({ sources: { "Main.vy": { content } } }).sources).toHaveLength(1);
});
