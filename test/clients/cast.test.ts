import { readFileSync } from "node:fs";
import path from "node:path";
import type { Hex } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CHAIN_ID, type Explorer, startExplorer } from "./explorer.ts";
import { createFoundryProject, type FoundryProject } from "./foundry.ts";
import { DEPLOYER } from "./served-chain.ts";
import { ENCODED_ARGUMENTS, OWNED, vault } from "./vaults.ts";

const CHAIN = ["--chain", String(CHAIN_ID)];

let explorer: Explorer;
let project: FoundryProject;
let verified: Hex;
let unverified: Hex;

beforeAll(async () => {
  explorer = await startExplorer();
  project = createFoundryProject(explorer, ["Shown", "Hidden"]);
  verified = await project.publish("Shown");
  unverified = await project.create("Hidden");
});
afterAll(async () => {
  project.remove();
  await explorer.stop();
});

function source(address: Hex, api: string, ...options: string[]) {
  const url = `${explorer.url}${api}`;
  return project.cast(
    ...["source", address, ...CHAIN, ...options],
    ...["--explorer-api-url", url, "--explorer-url", explorer.url],
  );
}

function onChain(command: string) {
  return project.cast(command, verified, ...CHAIN, "--rpc-url", explorer.rpcUrl);
}

test("cast prints the source of a verified contract", async () => {
  const { output } = await source(verified, "/api");
  expect(output).toBe(vault("Shown").trim());
});

test("cast writes every file of a verified contract that it asks for at Etherscan's path", async () => {
  await source(verified, `/v2/api?chainid=${CHAIN_ID}`, "-d", "copy");
  const copied = (file: string) =>
    readFileSync(path.join(project.folder, "copy/Shown/src", file), "utf8");
  expect(copied("Shown.sol")).toBe(vault("Shown"));
  expect(copied("Owned.sol")).toBe(OWNED);
});

test("cast says that a contract's source is not verified", async () => {
  const { said, code } = await source(unverified, "/api");
  expect(said).toContain(`Contract source code not verified: ${unverified}`);
  expect(code).toBe(1);
});

test("cast makes an interface of a verified contract", async () => {
  const { output } = await project.cast("interface", verified, ...CHAIN);
  expect(output).toContain("interface Shown {");
  expect(output).toContain("function held(address) external view returns (uint256);");
});

test("cast finds the init code of a contract, and what it was constructed with", async () => {
  const { output: bytecode } = await project.forge("inspect", "Shown", "bytecode");
  const creation = await onChain("creation-code");
  expect(creation.output).toBe(`${bytecode}${ENCODED_ARGUMENTS.slice(2)}`);

  const { output } = await onChain("constructor-args");
  expect(output).toContain("Address(0x00000000000000000000000000000000000000a1)");
  expect(output).toContain("Uint(1000, 256)");
});

test("cast asks /api/eth-rpc what it asks a node", async () => {
  const rpc = ["--rpc-url", `${explorer.url}/api/eth-rpc`];
  const [limit, balance, number, chainId, code] = await Promise.all([
    project.cast("call", verified, "limit()(uint256)", ...rpc),
    project.cast("balance", DEPLOYER, ...rpc),
    project.cast("block-number", ...rpc),
    project.cast("chain-id", ...rpc),
    project.cast("code", verified, ...rpc),
  ]);
  expect(limit.said).toMatch(/^1000\b/);
  expect(balance.said).toMatch(/^9999\d{18}$/m);
  expect(number.said).toBe("2\n");
  expect(chainId.said).toBe(`${CHAIN_ID}\n`);
  expect(code.said).toMatch(/^0x60/);

  const block = await project.cast("block", "1", "--json", ...rpc);
  const [hash = ""] = (JSON.parse(block.output) as { transactions: string[] }).transactions;
  const receipt = await project.cast("receipt", hash, "contractAddress", ...rpc);
  expect(receipt.output.toLowerCase()).toBe(verified.toLowerCase());
});
