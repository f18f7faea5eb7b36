import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHAIN_ID, type Explorer, startExplorer } from "./explorer.ts";
import { createFoundryProject, type FoundryProject, VERIFIED } from "./foundry.ts";
import { createHardhatProject, type HardhatProject } from "./hardhat.ts";
import { ARGUMENTS } from "./vaults.ts";

// The unchanged programs at Sourcify's dialect. None of them sends constructor arguments there.

let explorer: Explorer;

beforeAll(async () => {
  explorer = await startExplorer();
});
afterAll(() => explorer.stop());

interface Contract {
  match: string | null;
  creationMatch: string | null;
  runtimeMatch: string | null;
  sources?: Record<string, { content: string }>;
}

async function contract(address: string, query = ""): Promise<Contract> {
  const url = `${explorer.url}/sourcify/v2/contract/${CHAIN_ID}/${address}${query}`;
  return (await (await fetch(url)).json()) as Contract;
}

describe("forge", () => {
  let project: FoundryProject;

  beforeAll(() => {
    const vaults = ["Slashed", "Bare", "Twice", "Wrong", "Other"];
    project = createFoundryProject(explorer, vaults, { hasKey: false });
  });
  afterAll(() => project.remove());

  test.each([
    ["Slashed", "/sourcify/"],
    ["Bare", "/sourcify"],
  ])("verifies %s at %s, and skips what is verified", async (name, base) => {
    const address = await project.create(name);
    const verifier = ["--verifier", "sourcify", "--verifier-url", explorer.url + base];
    const first = await project.verify(name, address, ...verifier, "--watch");
    expect(first.said).toContain(VERIFIED);
    expect(first.code).toBe(0);
    expect(await contract(address)).toMatchObject({
      match: "exact_match",
      creationMatch: "exact_match",
      runtimeMatch: "exact_match",
    });

    const second = await project.verify(name, address, ...verifier, "--watch");
    expect(second.said).toMatch(/already verified/);
    expect(second.code).toBe(0);
  });

  test("submits again what is verified, when it is told to", async () => {
    const address = await project.publish("Twice");
    const verifier = ["--verifier", "sourcify", "--verifier-url", `${explorer.url}/sourcify/`];
    const options = [...verifier, "--watch", "--skip-is-verified-check"];
    const { said, code } = await project.verify("Twice", address, ...options);
    expect(said).toContain("already fully verified");
    expect(code).toBe(0);
  });

  test("ends with an error when the source is another one", async () => {
    const address = await project.create("Other");
    const verifier = ["--verifier", "sourcify", "--verifier-url", `${explorer.url}/sourcify/`];
    const { said, code } = await project.verify("Wrong", address, ...verifier, "--watch");
    expect(said).toContain("no_match");
    expect(code).not.toBe(0);
    expect((await contract(address)).match).toBeNull();
  });
});

describe("hardhat 3", () => {
  let project: HardhatProject;

  beforeAll(async () => {
    project = createHardhatProject(explorer, "hardhat-3", ["Sourced", "Slashed", "Unlike"], {
      SOURCIFY_URL: `${explorer.url}/sourcify`,
    });
    expect((await project.build()).said).toContain("Compiled 4 Solidity files");
  });
  afterAll(() => project.remove());

  test("verifies, and then sees that it is verified", async () => {
    const address = await project.deploy("Sourced");
    const first = await project.verify("sourcify", address, ...ARGUMENTS);
    expect(first.said).toMatch(/verified successfully/i);
    expect(first.code).toBe(0);
    const { sources, match } = await contract(address, "?fields=sources");
    expect(match).toBe("exact_match");
    expect(Object.keys(sources ?? {})).toContain("project/contracts/Sourced.sol");

    const second = await project.verify("sourcify", address, ...ARGUMENTS);
    expect(second.said).toContain("already been verified");
    expect(second.code).toBe(0);
  });

  test("verifies at a base with its slash, which it doubles", async () => {
    const slashed = createHardhatProject(explorer, "hardhat-3", ["Doubled"], {
      SOURCIFY_URL: `${explorer.url}/sourcify/`,
    });
    try {
      expect((await slashed.build()).code).toBe(0);
      const address = await slashed.deploy("Doubled");
      const { said, code } = await slashed.verify("sourcify", address, ...ARGUMENTS);
      expect(said).toMatch(/verified successfully/i);
      expect(code).toBe(0);
    } finally {
      slashed.remove();
    }
  });

  test("says that no contract is there", async () => {
    const nobody = "0x00000000000000000000000000000000000a11ce";
    const { said, code } = await project.verify("sourcify", nobody, ...ARGUMENTS);
    expect(said.toLowerCase()).toContain(nobody);
    expect(code).toBe(1);
  });
});
