import { expect, test } from "vitest";
import { readMetadataFiles } from "../../../src/verification/inputs/metadata-files.ts";
import { requestedCompiler } from "../../../src/verification/inputs/read.ts";
import { keccak } from "../../../src/verification/match/metadata/content-hash.ts";

const text = `/* {"compiler": {"version": "0.4.11+commit.68ef5810"}} */ contract A {}`;
const metadata = {
  compiler: { version: "0.8.28+commit.7893614a" },
  language: "Solidity",
  settings: { compilationTarget: { "A.sol": "A" } },
  sources: { "A.sol": { keccak256: `0x${keccak(Buffer.from(text)).toString("hex")}` } },
};

test.each(["", "\ufeff", "\n  "])(
  "a source that quotes metadata is not taken for it (%j)",
  (before) => {
    const files = [
      { path: "A.sol", text },
      { path: "metadata.json", text: `${before}${JSON.stringify(metadata)}` },
    ];
    expect(requestedCompiler({ format: "metadata-files", files })).toEqual({
      family: "solc",
      version: metadata.compiler.version,
    });
    const read = readMetadataFiles(
      files.map((file) => ({ ...file, text: file.text.replace("\ufeff", "") })),
    );
    expect(read.sources).toEqual(new Map([["A.sol", text]]));
  },
);

test("changed line ends of a file are seen, though not among more than two million characters of other files", () => {
  const read = (...others: string[]) =>
    readMetadataFiles([
      { path: "metadata.json", text: JSON.stringify(metadata) },
      { path: "A.sol", text: `${text}\r\n` },
      ...others.map((other, index) => ({ path: `${index}.sol`, text: other })),
    ]).sources;
  const missing = { code: "missing-sources" };
  expect(read("contract B {}")).toEqual(new Map([["A.sol", text]]));
  expect(() => read("/".repeat(2 ** 21))).toThrow(expect.objectContaining(missing));
  const tiny = Array.from({ length: 2 ** 14 }, (_, index) => `// ${index}`);
  expect(() => read(...tiny)).toThrow(expect.objectContaining(missing));
});
