import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Hex } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Explorer, startExplorer } from "./explorer.ts";
import { createHardhatProject, type HardhatProject } from "./hardhat.ts";
import { createScratch, installed, type Scratch } from "./program.ts";

const BOX = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

contract Box {
    uint256 public value;

    function initialize(uint256 value_) external {
        value = value_;
    }
}
`;
const DEPLOY = `const { ethers, upgrades } = require("hardhat");

async function main() {
  const proxy = await upgrades.deployProxy(await ethers.getContractFactory("Box"), [42]);
  await proxy.waitForDeployment();
  process.stdout.write(await proxy.getAddress());
}

main();
`;

let compilers: Scratch;
let explorer: Explorer;
let project: HardhatProject;

beforeAll(async () => {
  // The plugin brings its proxies compiled, by this compiler.
  compilers = createScratch();
  const folder = path.join(compilers.folder, "solc");
  mkdirSync(folder);
  const compiler = path.join(folder, "soljson-v0.8.29+commit.ab55807c.js");
  symlinkSync(installed("solc-0.8.29/soljson.js"), compiler);
  explorer = await startExplorer({ DATA_DIR: compilers.folder });
  project = createHardhatProject(explorer, "hardhat-2", [], {
    UPGRADES: "1",
    // The plugin counts a log's topics, which Blockscout's dialect pads.
    API_URL: `${explorer.url}/v2/api`,
  });
  writeFileSync(path.join(project.folder, "contracts/Box.sol"), BOX);
  mkdirSync(path.join(project.folder, "scripts"));
  writeFileSync(path.join(project.folder, "scripts/deploy.js"), DEPLOY);
});
afterAll(async () => {
  project.remove();
  await explorer.stop();
  compilers.remove();
});

test("OpenZeppelin's plugin verifies a proxy, its admin and its implementation, and links them", async () => {
  await project.build();
  const { output } = await project.hardhat("run", "scripts/deploy.js", "--network", "periscope");
  expect(output).toMatch(/^0x\w{40}$/);
  const address = output as Hex;
  await explorer.indexed();

  const { said, code } = await project.verify("etherscan", address);
  const steps = [
    "Successfully verified contract Box",
    "Successfully verified contract TransparentUpgradeableProxy",
    "Successfully linked proxy to implementation",
    "Successfully verified contract ProxyAdmin",
    "Proxy fully verified",
  ];
  for (const step of steps) expect(said).toContain(step);
  expect(code).toBe(0);

  const query = `module=contract&action=getsourcecode&address=${address}`;
  expect(await explorer.ask(query)).toMatchObject({
    result: [{ ContractName: "TransparentUpgradeableProxy", IsProxy: "true" }],
  });
});
