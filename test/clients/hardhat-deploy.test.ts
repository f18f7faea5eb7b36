import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Hex } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Explorer, startExplorer } from "./explorer.ts";
import { createHardhatProject, type HardhatProject } from "./hardhat.ts";
import { PRIVATE_KEY } from "./served-chain.ts";
import { ARGUMENTS } from "./vaults.ts";

const SHARES = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

library Shares {
    function half(uint256 whole) external pure returns (uint256) {
        return whole / 2;
    }
}
`;
const HALVER = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

import {Shares} from "./Shares.sol";

contract Halver {
    function half(uint256 whole) external pure returns (uint256) {
        return Shares.half(whole);
    }
}
`;
/** Deploys a contract with arguments, and one with a library. */
const DEPLOY = `module.exports = async ({ deployments }) => {
  // A key: for an account of the node the plugin fails ("invalid object key - customData").
  const from = "${PRIVATE_KEY}";
  await deployments.deploy("Kept", { from, args: ${JSON.stringify(ARGUMENTS)} });
  const { address } = await deployments.deploy("Shares", { from });
  await deployments.deploy("Halver", { from, libraries: { Shares: address } });
};
`;

let explorer: Explorer;
let project: HardhatProject;

beforeAll(async () => {
  explorer = await startExplorer();
  project = createHardhatProject(explorer, "hardhat-2", ["Kept"], { DEPLOY: "1" });
  mkdirSync(path.join(project.folder, "deploy"));
  writeFileSync(path.join(project.folder, "deploy/all.js"), DEPLOY);
  writeFileSync(path.join(project.folder, "contracts/Shares.sol"), SHARES);
  writeFileSync(path.join(project.folder, "contracts/Halver.sol"), HALVER);
  const { said, code } = await project.hardhat("deploy", "--network", "periscope");
  expect(code, said).toBe(0);
  await explorer.indexed();
});
afterAll(async () => {
  project.remove();
  await explorer.stop();
});

function verify(...args: string[]) {
  const options = ["--api-url", explorer.url, "--api-key", "any"];
  return project.hardhat("--network", "periscope", "etherscan-verify", ...options, ...args);
}

test("hardhat-deploy verifies one deployment, and then all others, a linked one among them", async () => {
  const one = await verify("--contract-name", "Kept");
  expect(one.said).toContain("contract Kept is now verified");
  const all = await verify();
  expect(all.said).toContain("already verified: Kept");
  for (const name of ["Shares", "Halver"]) {
    expect(all.said).toContain(`contract ${name} is now verified`);
  }
  const deployment = path.join(project.folder, "deployments/periscope/Halver.json");
  const { address } = JSON.parse(readFileSync(deployment, "utf8")) as { address: Hex };
  expect(
    await explorer.ask(`module=contract&action=getsourcecode&address=${address}`),
  ).toMatchObject({
    result: [{ ContractName: "Halver", ExternalLibraries: [{ name: "Shares" }] }],
  });
});
