import { afterAll, beforeAll, expect, test } from "vitest";
import { type Explorer, startExplorer } from "./explorer.ts";
import { createHardhatProject, type HardhatProject } from "./hardhat.ts";
import { ARGUMENTS } from "./vaults.ts";

let explorer: Explorer;
let project: HardhatProject;

beforeAll(async () => {
  explorer = await startExplorer();
  project = createHardhatProject(explorer, "hardhat-3", ["Keyed", "Plain", "Refused"]);
  const { said, code } = await project.hardhat("build", "--build-profile", "production");
  expect(said).toContain("Compiled 4 Solidity files successfully");
  expect(code).toBe(0);
});
afterAll(async () => {
  project.remove();
  await explorer.stop();
});

function verify(provider: string, address: string, ...args: string[]) {
  return project.hardhat("verify", provider, "--network", "periscope", address, ...args);
}

test("hardhat 2", async () => {
  const address = await project.deploy("Keyed");
  const { said, code } = await verify("etherscan", address, ...ARGUMENTS);
  expect(said).toBe("");
});
test("hardhat 2b", async () => {
  const address = await project.deploy("Plain");
  const { said, code } = await verify("blockscout", address, ...ARGUMENTS);
  expect(said).toBe("");
});
test("hardhat 2c", async () => {
  const address = await project.deploy("Refused");
  const { said, code } = await verify("etherscan", address, ARGUMENTS[0], "77");
  expect(said).toBe("");
});
