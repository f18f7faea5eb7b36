import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { loadSoljson } from "../../../src/verification/compilers/soljson.ts";
import { readCodeMetadata } from "../../../src/verification/match/metadata/metadata.ts";
import {
  findSourceVariant,
  textVariants,
} from "../../../src/verification/match/metadata/variants.ts";

const require = createRequire(import.meta.url);
/** Sizes around those at which IPFS and Swarm add a level to their trees. */
const SIZES = [0, 4096, 4097, 262_144, 4096 * 128, 4096 * 129, 600_000];

const solc = loadSoljson(require.resolve("solc-0.8.28/soljson.js"));

function compile(path: string, text: string, metadata: object) {
  const outputSelection = { "*": { "*": ["metadata", "evm.deployedBytecode.object"] } };
  const input = {
    language: "Solidity",
    sources: { [path]: { content: text } },
    settings: { metadata, outputSelection },
  };
  const contract = JSON.parse(solc.compile(JSON.stringify(input))).contracts[path].A;
  const code = Buffer.from(contract.evm.deployedBytecode.object, "hex");
  return { metadata: contract.metadata as string, hash: readCodeMetadata(code)?.hash };
}

function sourceOf(size: number): string {
  const text = "pragma solidity ^0.8.0;\ncontract A { uint256 public mark; }\n//\n";
  return text.replace("//", `//${"x".repeat(Math.max(0, size - text.length))}`);
}

test.each(
  SIZES.flatMap((size) => [
    [size, "ipfs"],
    [size, "bzzr1"],
  ]),
)("the hashes of a source of %i bytes are the compiler's own (%s)", (size, bytecodeHash) => {
  const text = sourceOf(Number(size));
  const deployed = compile("src/A.sol", text, { bytecodeHash });
  const sent = compile("A.sol", text, { bytecodeHash });
  if (!deployed.hash) throw new Error("no hash");
  const variant = findSourceVariant(
    sent.metadata,
    [new Map([["A.sol", text]])],
    ["A.sol", "src/A.sol"],
    deployed.hash,
  );
  expect(variant).toEqual({ sources: new Map([["src/A.sol", text]]), path: "src/A.sol" });
});

test("files of a project are changed alike, each from its own end", () => {
  const sources = { "a.sol": 'import "./b.sol"; contract A is B {}\n', "b.sol": "contract B {}" };
  const outputSelection = { "*": { "*": ["metadata", "evm.deployedBytecode.object"] } };
  const run = (texts: Record<string, string>) => {
    const files = Object.entries(texts).map(([path, content]) => [path, { content }]);
    const input = {
      language: "Solidity",
      sources: Object.fromEntries(files),
      settings: { outputSelection },
    };
    return JSON.parse(solc.compile(JSON.stringify(input))).contracts["a.sol"].A;
  };
  const windows = { "a.sol": sources["a.sol"].replace("\n", "\r\n"), "b.sol": "contract B {}\r\n" };
  const code = Buffer.from(run(windows).evm.deployedBytecode.object, "hex");
  const wanted = readCodeMetadata(code)?.hash;
  if (!wanted) throw new Error("no hash");
  const sent = new Map([
    ["a.sol", windows["a.sol"].trimEnd()],
    ["b.sol", "contract B {}\r\n"],
  ]);
  const metadata = run(Object.fromEntries(sent)).metadata;
  const variants = [...textVariants(sent, "a.sol")].flatMap((group) => group.variants);
  expect(findSourceVariant(metadata, variants, [], wanted)?.sources).toEqual(
    new Map(Object.entries(windows)),
  );
  expect(findSourceVariant(metadata, [new Map([["a.sol", "x"]])], [], wanted)).toBeUndefined();
});
