import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import type { Hex } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ChainsExplorer, startChainsExplorer } from "../clients/explorer.ts";
import { createScratch, type Scratch } from "../clients/program.ts";
import type { ServedChain } from "../clients/served-chain.ts";
import { COMPILER, compiledVault, ENCODED_ARGUMENTS } from "../clients/vaults.ts";

// The unchanged crate by which Foundry and others in Rust ask explorers, at /v2/api.

const CHAIN = 4711;
const MANIFEST = path.join(import.meta.dirname, "Cargo.toml");
const INSTALLED = path.join(import.meta.dirname, ".installed");
const PROGRAM = path.join(INSTALLED, "debug/explorer-client");

let explorer: ChainsExplorer;
let scratch: Scratch;
let address: Hex;

beforeAll(async () => {
  const build = ["build", "--quiet", "--locked", "--manifest-path", MANIFEST];
  execFileSync("cargo", [...build, "--target-dir", INSTALLED], { stdio: "pipe" });
  scratch = createScratch();
  explorer = await startChainsExplorer([CHAIN]);
  const chain = explorer.chains[0] as ServedChain;
  const { input, creationCode } = compiledVault("Shown");
  address = await chain.deploy(`${creationCode}${ENCODED_ARGUMENTS.slice(2)}`);
  const parameters = {
    source_code: input,
    contractname: "src/Shown.sol:Shown",
    compilerversion: COMPILER.version,
  };
  writeFileSync(path.join(scratch.folder, "parameters.json"), JSON.stringify(parameters));
});
afterAll(async () => {
  scratch.remove();
  await explorer.stop();
});

test("foundry-block-explorers verifies a contract, and reads by its types", async () => {
  const api = `${explorer.url}/v2/api?chainid=${CHAIN}`;
  const { output, said, code } = await scratch.run(PROGRAM, [api, address, "parameters.json"]);
  expect(code, said).toBe(0);
  expect(JSON.parse(output)).toEqual({
    unverified: expect.stringContaining("not verified"),
    status: "Pass - Verified",
    name: "Shown",
    compiler: COMPILER.version.slice(1),
    files: ["src/Owned.sol", "src/Shown.sol"],
    arguments: ENCODED_ARGUMENTS,
    functions: ["NAME", "held", "hold", "limit", "owner"],
    created: true,
    block: 1,
    balance: "0",
    balances: 2,
    internal: expect.any(String),
    transfers: expect.any(String),
    gas: 1,
  });
});
