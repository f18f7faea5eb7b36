import { writeFileSync } from "node:fs";
import path from "node:path";
import type { Hex } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { moduleSummaries } from "../../src/api/explorer/registry.ts";
import { type ChainsExplorer, startChainsExplorer } from "../clients/explorer.ts";
import { installSolc } from "../clients/foundry.ts";
import { createScratch, type Scratch } from "../clients/program.ts";
import { DEPLOYER, type ServedChain } from "../clients/served-chain.ts";
import { COMPILER, compiledVault, ENCODED_ARGUMENTS } from "../clients/vaults.ts";
import { installPython } from "../support/python.ts";

// Unchanged Python clients at /v2/api and /sourcify of a server whose chain has the id of one that they know.

const HOME = path.join(import.meta.dirname, ".installed");
const ENVIRONMENTS = {
  crytic: ["crytic-compile==0.4.2", "slither-analyzer==0.11.6"],
  typed: ["typed-etherscan==0.4.1"],
  ape: ["eth-ape==0.8.52", "ape-etherscan==0.8.7"],
  openapi: ["openapi-python-client==0.29.1"],
};
const CHAIN = 1;
/** Change the code, so that a compile with others has another result. */
const SETTINGS = { viaIR: true, evmVersion: "paris", optimizer: { enabled: true, runs: 777 } };

let explorer: ChainsExplorer;
let chain: ServedChain;
let scratch: Scratch;
let address: Hex;
let creationCode: Hex;
/** The answers that typed-etherscan had as it verified the contract, which all clients read. */
let typed: unknown;

beforeAll(async () => {
  for (const [name, packages] of Object.entries(ENVIRONMENTS)) {
    installPython(path.join(HOME, name), packages);
  }
  scratch = createScratch();
  explorer = await startChainsExplorer([CHAIN]);
  chain = explorer.chains[0] as ServedChain;
  const vault = compiledVault("Shown", SETTINGS);
  creationCode = vault.creationCode;
  address = await chain.deploy(`${creationCode}${ENCODED_ARGUMENTS.slice(2)}`);
  const parameters = {
    source_code: vault.input,
    codeformat: "solidity-standard-json-input",
    contractname: "src/Shown.sol:Shown",
    compilerversion: COMPILER.version,
  };
  writeFileSync(path.join(scratch.folder, "parameters.json"), JSON.stringify(parameters));
  typed = await run("typed", String(CHAIN), address, "parameters.json");
});
afterAll(async () => {
  scratch.remove();
  await explorer.stop();
});

/** The metadata names the settings, which crytic-compile spells otherwise. */
function withoutMetadata(code: string): string {
  return code.slice(0, -2 * 53);
}

async function run(client: keyof typeof ENVIRONMENTS, ...args: string[]) {
  const programs = path.join(HOME, client, "bin");
  const program = path.join(import.meta.dirname, `${client}-client.py`);
  const { output, said, code } = await scratch.run(
    path.join(programs, "python"),
    [program, explorer.url, ...args],
    { environment: { PATH: `${programs}:${process.env["PATH"]}` } },
  );
  if (code !== 0) throw new Error(said);
  return JSON.parse(output.split("\n").at(-1) ?? "");
}

test("typed-etherscan verifies a contract, and accepts every answer as of its types", () => {
  expect(typed).toEqual({
    status: "Pass - Verified",
    name: "Shown",
    first: address.toLowerCase(),
    created: true,
    receipt: "1",
    block: 1,
    logs: [],
    limit: 1000,
    chains: [String(CHAIN)],
  });
});

test("crytic-compile and slither compile the code that is on the chain", async () => {
  installSolc(path.join(scratch.folder, ".solc-select/artifacts", `solc-${COMPILER.release}`));
  const { compiled, slither } = await run("crytic", String(CHAIN), address);
  for (const way of ["etherscan", "sourcify"]) {
    expect(compiled[way].version).toBe(COMPILER.release);
    expect(withoutMetadata(compiled[way].codes.Shown)).toBe(withoutMetadata(creationCode.slice(2)));
    expect(slither[way].contracts).toEqual(["Owned", "Shown"]);
    expect(slither[way].found).toContain("locked-ether");
  }
});

test("ape finds, reads and calls a verified contract", async () => {
  const seen = await run("ape", chain.rpcUrl, address);
  expect(seen).toMatchObject({
    page: `${explorer.url}/address/${address}`,
    name: "Shown",
    sources: ["src/Owned.sol", "src/Shown.sol"],
    limit: 1000,
  });
  expect(seen.first).toBe(seen.creation);
});

test("openapi-python-client makes a client of each module's description", async () => {
  const seen = await run("openapi", String(CHAIN), address, ...Object.keys(moduleSummaries));
  expect(seen).toMatchObject({
    complaints: [],
    // A client of /api cannot be imported where a body has two media types: the generator forgets `Unset`.
    broken: expect.not.arrayContaining([expect.stringMatching(/^(?!blockscout_contract_verify)/)]),
    answers: [
      "EtherscanBalance",
      "EtherscanGetsourcecode",
      "EtherscanGetcontractcreation",
      "ExplorerFailure",
    ],
    balance: "0",
    name: "Shown",
    creator: DEPLOYER.toLowerCase(),
    failure: { status: "0" },
  });
  expect(seen.operations).toBeGreaterThan(100);
});
