import { expect, test } from "vitest";
import type { Hex } from "../../../src/core/evm/hex.ts";
import { BUNDLED_VERSION, createCatalogue } from "../../../src/verification/compilers/catalogue.ts";
import { DEFAULT_LIMITS, runWorker } from "../../../src/verification/process/worker-process.ts";
import { addressAt, wordAt } from "../../support/build.ts";
import { compileStandardJson } from "../compile.ts";

/** A library whose syntax tree has some 75 times the bytes of its text. */
function denseLibrary(name: string, functions: number): string {
  const bodies = Array.from(
    { length: functions },
    (_, index) =>
      `function f${index}(uint a,uint b)internal pure returns(uint){return a*b+a-b*a+a/b-a%b;}`,
  );
  return `library ${name}{${bodies.join("\n")}}`;
}

const FILE = "src/Clock.sol";
const LIBRARIES = ["A", "B", "C"];
const imports = LIBRARIES.map((name) => `import "lib/${name}.sol";`).join("\n");
const SOURCES = {
  "lib/A.sol": `enum Kind { One, Two }\n${denseLibrary("A", 800)}`,
  "lib/B.sol": denseLibrary("B", 800),
  "lib/C.sol": denseLibrary("C", 800),
  "lib/Alien.sol": denseLibrary("Alien", 2000),
  [FILE]: `${imports}\ncontract Clock { Kind public immutable kind; constructor(Kind given) { kind = given; } }`,
};
const SETTINGS = { optimizer: { enabled: true, runs: 200 } };
const INPUT = {
  language: "Solidity",
  sources: Object.fromEntries(
    Object.entries(SOURCES).map(([path, content]) => [path, { content }]),
  ),
  settings: SETTINGS,
};
/** The trees of any two libraries together are larger, and that of the one without imports. */
const limits = { ...DEFAULT_LIMITS, maxOutputBytes: 8_000_000 };

interface Output {
  contracts: Record<
    string,
    Record<
      string,
      {
        evm: {
          bytecode: { object: string };
          deployedBytecode: {
            object: string;
            immutableReferences: Record<string, { start: number; length: number }[]>;
          };
        };
      }
    >
  >;
}

async function verifyWith(value: Hex) {
  const outputSelection = { [FILE]: { Clock: ["evm.bytecode", "evm.deployedBytecode"] } };
  const output = (await compileStandardJson({
    ...INPUT,
    settings: { ...SETTINGS, outputSelection },
  })) as Output;
  const evm = output.contracts[FILE]?.["Clock"]?.evm;
  if (evm === undefined) throw new Error("the contract was not compiled");
  const runtime = Buffer.from(evm.deployedBytecode.object, "hex");
  for (const { start } of Object.values(evm.deployedBytecode.immutableReferences).flat()) {
    runtime.write(value.slice(2), start, "hex");
  }
  const catalogue = createCatalogue({
    folders: { solc: undefined, vyper: undefined },
    downloads: { solc: undefined, vyper: undefined },
  });
  const request = {
    format: "standard-json",
    address: addressAt(1),
    input: JSON.stringify(INPUT),
    name: `${FILE}:Clock`,
    compilerVersion: BUNDLED_VERSION,
  };
  return runWorker(
    await catalogue.resolve("solc", BUNDLED_VERSION),
    {
      type: "verify",
      request: JSON.stringify(request),
      runtimeCode: `0x${runtime.toString("hex")}`,
      creationCode: `0x${evm.bytecode.object}${value.slice(2)}`,
      diagnosisMs: 0,
    },
    limits,
  );
}

test("immutables are read of sources whose syntax trees together are larger than one output", async () => {
  expect(await verifyWith(wordAt(1))).toMatchObject({
    source: {
      runtimeMatch: { quality: "full" },
      proof: { values: [{ name: "kind", type: "enum Kind", value: wordAt(1) }] },
    },
  });
});

test("a type of another file decides what values there are", async () => {
  await expect(verifyWith(wordAt(2))).rejects.toMatchObject({ failure: { code: "bytecode" } });
});
