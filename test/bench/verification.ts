import { readFileSync } from "node:fs";
import path from "node:path";
import { type Abi, encodeDeployData } from "viem";
import { sleep } from "../../src/core/async.ts";
import type { Hex } from "../../src/core/evm/hex.ts";
import { BUNDLED_VERSION, createCatalogue } from "../../src/verification/compilers/catalogue.ts";
import {
  DEFAULT_LIMITS,
  startWorkerProcess,
} from "../../src/verification/process/worker-process.ts";
import { addressAt } from "../support/build.ts";
import { type DeploymentChain, startDeploymentChain } from "../verification/deployment.ts";
import { neverEnding } from "../verification/hostile-sources.ts";
import { withImports } from "../verification/openzeppelin.ts";
import type { Bench } from "./bench.ts";
import { openHttpClient } from "./measure/http-client.ts";
import { type Product, startProduct } from "./measure/product.ts";
import type { Figure } from "./measure/report.ts";
import { median, quantile } from "./measure/statistics.ts";

interface Program {
  name: string;
  file: string;
  contract: string;
  sources: Record<string, { content: string }>;
  args: unknown[];
}

interface Compiled {
  abi: Abi;
  evm: { bytecode: { object: string } };
}

/** By then a process has loaded its compiler. */
const READY_MS = 3000;
const CATALOGUE = createCatalogue({
  folders: { solc: undefined, vyper: undefined },
  downloads: { solc: undefined, vyper: undefined },
});
const OUTPUTS = [
  "abi",
  "devdoc",
  "userdoc",
  "storageLayout",
  "metadata",
  "evm.legacyAssembly",
  "evm.bytecode",
  "evm.deployedBytecode",
  "evm.methodIdentifiers",
];
const FILE = "src/contracts.sol";
const SETTINGS = { optimizer: { enabled: true, runs: 200 } };
const ONE_FUNCTION =
  "// SPDX-License-Identifier: MIT\npragma solidity ^0.8.0;\ncontract Note { uint256 public mark; function set(uint256 value) external { mark = value; } }\n";
const OPENZEPPELIN = readFileSync(new URL("../fixtures/openzeppelin.sol", import.meta.url), "utf8");

/** Standard JSON of OpenZeppelin's file with all it imports, as a build tool sends it. */
const PROGRAMS: readonly Program[] = [
  {
    name: "one function",
    file: FILE,
    contract: "Note",
    sources: { [FILE]: { content: ONE_FUNCTION } },
    args: [],
  },
  openZeppelin("ERC-20 of OpenZeppelin", "Gold", [10n ** 24n]),
  openZeppelin("Governor of OpenZeppelin", "Council", [addressAt(1), addressAt(2)]),
];

function openZeppelin(name: string, contract: string, args: unknown[]): Program {
  const imports =
    contract === "Gold" ? OPENZEPPELIN.replace(/^import (?!\{ERC20\}).*\n/gm, "") : OPENZEPPELIN;
  const text = contract === "Gold" ? imports.slice(0, imports.indexOf("contract Voice")) : imports;
  return { name, file: FILE, contract, sources: withImports(FILE, text), args };
}

/**
 * Measures verifications from the submission to the pass, through the API of a running Periscope: the first one of a
 * process, later ones, the compile alone, and what other questions feel meanwhile.
 */
export async function benchVerification(bench: Bench): Promise<void> {
  const node = await startDeploymentChain();
  const database = await bench.server.create("verification");
  const start = () =>
    startProduct({
      logFile: path.join(bench.folder, "periscope.log"),
      settings: {
        RPC_URL: node.anvil.url,
        DATABASE_URL: database.url,
        DATA_DIR: path.join(bench.folder, "data"),
        POLL_INTERVAL_MS: "50",
      },
    });
  try {
    for (const program of PROGRAMS) {
      bench.say(`verifying: ${program.name}`);
      const product = await start();
      try {
        await measureProgram(bench, product, node, program);
      } finally {
        await product.stop();
      }
    }
    bench.say("asking while a compile does not end");
    const product = await start();
    try {
      await measureMeanwhile(bench, product, node);
    } finally {
      await product.stop();
    }
  } finally {
    await database.drop();
    await node.anvil.stop();
  }
}

async function measureProgram(
  bench: Bench,
  product: Product,
  node: DeploymentChain,
  program: Program,
): Promise<void> {
  const rounds = bench.quick ? 2 : 7;
  const compiles: number[] = [];
  const totals: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const { initCode, ms } = await compile(program);
    compiles.push(ms);
    const { address } = await node.deploy(initCode);
    totals.push(await verify(product, address, program));
  }
  const [first = 0, ...later] = totals;
  // Each beside the compile just before it: how fast the machine is varies more than this takes.
  const others = later.map((total, index) => total - (compiles[index + 1] ?? 0));
  const figures: Figure[] = [
    { name: "first of a process", value: first, unit: "ms" },
    { name: "later ones, median", value: median(later), unit: "ms" },
    { name: "compile alone, median", value: median(compiles), unit: "ms" },
    {
      name: "all but compiling",
      value: median(others),
      unit: "ms",
      goal: "below 300",
    },
  ];
  bench.report({ title: `Verification, submission to pass: ${program.name}`, figures });
}

/** Compiles what a verification compiles, in such a process; with the time it took once the compiler was loaded. */
async function compile(program: Program): Promise<{ initCode: Hex; ms: number }> {
  const { sources, file, contract, args } = program;
  const outputSelection = { [file]: { [contract]: OUTPUTS } };
  const input = { language: "Solidity", sources, settings: { ...SETTINGS, outputSelection } };
  const build = await CATALOGUE.resolve("solc", BUNDLED_VERSION);
  const worker = await startWorkerProcess(build);
  try {
    worker.prepare(DEFAULT_LIMITS);
    // Meanwhile the one of the verifier gets ready, too.
    await sleep(READY_MS);
    const startedAt = performance.now();
    const task = { type: "compile", input: JSON.stringify(input) } as const;
    const answer = await worker.run(task, DEFAULT_LIMITS);
    const ms = performance.now() - startedAt;
    if (answer.type !== "output") throw new Error(answer.type);
    const compiled: Compiled = JSON.parse(answer.output).contracts[file][contract];
    const initCode = encodeDeployData({
      abi: compiled.abi,
      bytecode: `0x${compiled.evm.bytecode.object}`,
      args,
    });
    return { initCode, ms };
  } finally {
    await worker.end();
  }
}

/** Milliseconds from the submission to the answer that says it passed. */
async function verify(product: Product, address: string, program: Program): Promise<number> {
  const startedAt = performance.now();
  const guid = await submit(product, address, program);
  for (;;) {
    const state = await ask(product, { action: "checkverifystatus", guid });
    if (state === "Pass - Verified") return performance.now() - startedAt;
    if (state !== "Pending in queue") throw new Error(state);
  }
}

async function submit(product: Product, address: string, program: Program): Promise<string> {
  const { sources, file, contract } = program;
  return ask(product, {
    action: "verifysourcecode",
    contractaddress: address,
    codeformat: "solidity-standard-json-input",
    contractname: `${file}:${contract}`,
    compilerversion: "v0.8.37+commit.f401782d",
    sourceCode: JSON.stringify({
      language: "Solidity",
      sources,
      settings: { ...SETTINGS, viaIR: program.name === HOSTILE },
    }),
  });
}

async function ask(product: Product, parameters: Record<string, string>): Promise<string> {
  const body = new URLSearchParams({ module: "contract", ...parameters });
  const response = await fetch(`${product.url}/api`, { method: "POST", body });
  const { result } = (await response.json()) as { result: string };
  return result;
}

const HOSTILE = "a compile that does not end";
const QUESTION = "/api?module=block&action=eth_block_number";

async function measureMeanwhile(
  bench: Bench,
  product: Product,
  node: DeploymentChain,
): Promise<void> {
  const client = await openHttpClient(product.url);
  const sources = { [FILE]: { content: neverEnding("Note") } };
  const hostile = { name: HOSTILE, file: FILE, contract: "Note", sources, args: [] };
  const [note] = PROGRAMS;
  if (note === undefined) return;
  const { address } = await node.deploy((await compile(note)).initCode);
  const count = bench.quick ? 200 : 5000;
  try {
    const usual = await latencies(client.get, count);
    await submit(product, address, hostile);
    const submissions = Promise.all(
      Array.from({ length: 500 }, () => submit(product, address, hostile)),
    );
    const meanwhile = await latencies(client.get, count);
    await submissions;
    bench.report({
      title: `500 submissions of ${HOSTILE}, and other questions meanwhile`,
      figures: [
        { name: "usual, 99th percentile", value: quantile(usual, 0.99), unit: "ms" },
        {
          name: "meanwhile, 99th percentile",
          value: quantile(meanwhile, 0.99),
          unit: "ms",
          goal: "below twice the usual",
        },
      ],
    });
  } finally {
    client.close();
  }
}

/** Milliseconds of so many questions, one after the other. */
export async function latencies(
  get: (path: string) => Promise<unknown>,
  count: number,
): Promise<number[]> {
  const times: number[] = [];
  while (times.length < count) {
    const startedAt = performance.now();
    await get(QUESTION);
    times.push(performance.now() - startedAt);
  }
  return times;
}
