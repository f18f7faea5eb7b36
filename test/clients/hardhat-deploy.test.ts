import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
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
/** A contract with arguments, one behind a proxy that the plugin brings compiled, and one with a library. */
const DEPLOY = `module.exports = async ({ deployments, getNamedAccounts }) => {
  const { deployer: from } = await getNamedAccounts();
  await deployments.deploy("Kept", { from, args: ${JSON.stringify(ARGUMENTS)} });
  const { address } = await deployments.deploy("Shares", { from });
  await deployments.deploy("Halver", { from, libraries: { Shares: address } });
};
`;

let explorer: Explorer;
let project: HardhatProject;

beforeAll(async () => {
  explorer = await startExplorer();
  project = createHardhatProject(explorer, "hardhat-2", ["Kept"], { DEPLOYER_KEY: PRIVATE_KEY });
  mkdirSync(path.join(project.folder, "deploy"));
  writeFileSync(path.join(project.folder, "deploy/all.js"), DEPLOY);
  writeFileSync(path.join(project.folder, "contracts/Shares.sol"), SHARES);
  writeFileSync(path.join(project.folder, "contracts/Halver.sol"), HALVER);
  const { said } = await project.hardhat("deploy", "--network", "periscope");
  console.log(said);
  await explorer.indexed();
});
afterAll(async () => {
  project.remove();
  await explorer.stop();
});

function verify(...args: string[]) {
  const explorerAt = ["--api-url", explorer.url, "--api-key", "any"];
  return project.hardhat("--network", "periscope", "etherscan-verify", ...explorerAt, ...args);
}

test.each([
  ["the metadata's sources", []],
  ["the compiler's input", ["--solc-input"]],
])("hardhat-deploy verifies its deployments by %s", async (_, args) => {
  const { said, code } = await verify(...args);
  console.log(said);
  expect(code).toBe(0);
});
