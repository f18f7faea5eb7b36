import { afterAll, beforeAll, expect, test } from "vitest";
import { CHAIN_ID, type Explorer, startExplorer } from "./explorer.ts";
import { createFoundryProject, type FoundryProject } from "./foundry.ts";
import { COMPILER, ENCODED_ARGUMENTS } from "./vaults.ts";

const VAULTS = ["Plain", "Keyed", "Flattened", "Guessed", "Refused"];

let explorer: Explorer;
let project: FoundryProject;

beforeAll(async () => {
  explorer = await startExplorer();
  project = createFoundryProject(explorer, VAULTS);
});
afterAll(async () => {
  project.remove();
  await explorer.stop();
});

function verify(address: string, name: string, ...options: string[]) {
  return project.forge(
    ...["verify-contract", address, `src/${name}.sol:${name}`],
    ...["--chain", String(CHAIN_ID), "--rpc-url", explorer.rpcUrl],
    ...["--compiler-version", COMPILER.version, ...options],
  );
}

const blockscout = () => ["--verifier", "blockscout", "--verifier-url", `${explorer.url}/api`];
const withArguments = ["--constructor-args", ENCODED_ARGUMENTS];

test("forge verifies standard JSON by the first poll, and skips what is verified", async () => {
  const address = await project.create("Plain");
  const options = [...blockscout(), ...withArguments, "--watch"];
  const first = await verify(address, "Plain", ...options);
  expect(first.said).toContain("Contract successfully verified");
  expect(first.said).not.toContain("Pending in queue");
  expect(first.code).toBe(0);

  const second = await verify(address, "Plain", ...options);
  expect(second.said).toContain("is already verified. Skipping verification.");
  expect(second.code).toBe(0);
});
