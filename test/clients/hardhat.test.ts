import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Explorer, startExplorer } from "./explorer.ts";
import { createHardhatProject, type HardhatProject } from "./hardhat.ts";
import { follow, linksIn } from "./links.ts";
import { ARGUMENTS } from "./vaults.ts";

describe.each(["hardhat-2", "hardhat-3"] as const)("%s", (generation) => {
  let explorer: Explorer;
  let project: HardhatProject;

  beforeAll(async () => {
    explorer = await startExplorer();
    const vaults = ["Keyed", "Keyless", "Refused"];
    project = createHardhatProject(explorer, generation, vaults);
    expect((await project.build()).said).toContain("Compiled 4 Solidity files");
  });
  afterAll(async () => {
    project.remove();
    await explorer.stop();
  });

  test.each([
    ["etherscan", "Keyed"],
    ["blockscout", "Keyless"],
  ] as const)("verifies as at %s, and then sees that it is verified", async (verifier, name) => {
    const address = await project.deploy(name);
    const first = await project.verify(verifier, address, ...ARGUMENTS);
    expect(first.said).toMatch(/Successfully verified contract|Contract verified successfully/);
    expect(first.code).toBe(0);
    const links = linksIn(first.said, explorer.url);
    expect(links.map((link) => link.toLowerCase())).toContain(
      `${explorer.url}/address/${address}#code`.toLowerCase(),
    );
    expect(await follow(links)).toContainEqual(expect.stringMatching(new RegExp(`^${name} `)));

    const second = await project.verify(verifier, address, ...ARGUMENTS);
    expect(second.said).toContain("already been verified");
    expect(second.code).toBe(0);
  });

  test("is refused wrong arguments, with both inputs that it tries", async () => {
    const address = await project.deploy("Refused");
    const { said, code } = await project.verify("etherscan", address, ARGUMENTS[0], "77");
    expect(said.match(/submitted source code/gi)).toHaveLength(2);
    expect(said).toContain("Fail - Unable to verify");
    expect(code).toBe(1);
  });
});
