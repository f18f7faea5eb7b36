import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Hex } from "viem";
import { CHAIN_ID, type Explorer } from "./explorer.ts";
import { createScratch, type Ending, installed } from "./program.ts";
import { PRIVATE_KEY } from "./served-chain.ts";
import { ARGUMENTS, COMPILER, OWNED, vault } from "./vaults.ts";

/** A Foundry project of vaults, and Foundry's programs run in it. */
export interface FoundryProject {
  folder: string;
  forge(...args: string[]): Promise<Ending>;
  cast(...args: string[]): Promise<Ending>;
  /** Compiles and deploys a vault by `forge create`; its address, once it is indexed. */
  create(name: string): Promise<Hex>;
  /** Runs `forge verify-contract` for a vault. */
  verify(name: string, address: Hex, ...options: string[]): Promise<Ending>;
  /** Deploys a vault and has it verified. */
  publish(name: string): Promise<Hex>;
  remove(): void;
}

/** forge's text for a verified contract. */
export const VERIFIED = "Contract successfully verified";

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };

/**
 * Creates the project in a scratch folder. It knows the explorer by its chain by default: with a
 * key for the chain forge uses the explorer as Etherscan, despite other settings.
 */
export function createFoundryProject(
  explorer: Explorer,
  vaults: readonly string[],
  { hasKey = true }: { hasKey?: boolean } = {},
): FoundryProject {
  const scratch = createScratch();
  const folder = path.join(scratch.folder, "project");
  const sources = path.join(folder, "src");
  mkdirSync(sources, { recursive: true });
  writeFileSync(path.join(sources, "Owned.sol"), OWNED);
  for (const name of vaults) writeFileSync(path.join(sources, `${name}.sol`), vault(name));
  const compiler = installSolc(path.join(scratch.folder, ".svm", COMPILER.release));
  writeFileSync(
    path.join(folder, "foundry.toml"),
    configuration(compiler) + (hasKey ? keyFor(explorer) : ""),
  );

  function forge(...args: string[]): Promise<Ending> {
    return scratch.run(binary("forge"), args, { folder });
  }

  async function create(name: string): Promise<Hex> {
    const { said } = await forge(
      ...["create", `src/${name}.sol:${name}`, "--broadcast"],
      ...["--rpc-url", explorer.rpcUrl, "--private-key", PRIVATE_KEY],
      ...["--constructor-args", ...ARGUMENTS],
    );
    const address = /Deployed to: (0x\w{40})/.exec(said)?.[1];
    if (address === undefined) throw new Error(`forge create: ${said}`);
    await explorer.indexed();
    return address as Hex;
  }

  function verify(name: string, address: Hex, ...options: string[]): Promise<Ending> {
    return forge(
      ...["verify-contract", address, `src/${name}.sol:${name}`],
      ...["--chain", String(CHAIN_ID), "--rpc-url", explorer.rpcUrl],
      ...["--compiler-version", COMPILER.version, ...options],
    );
  }

  return {
    folder,
    forge,
    cast: (...args) => scratch.run(binary("cast"), args, { folder }),
    create,
    verify,
    publish: async (name) => {
      const address = await create(name);
      const verifier = ["--verifier", "blockscout", "--verifier-url", `${explorer.url}/api`];
      const { said } = await verify(
        name,
        address,
        ...verifier,
        "--guess-constructor-args",
        "--watch",
      );
      if (!said.includes(VERIFIED)) throw new Error(`forge verify-contract: ${said}`);
      return address;
    },
    remove: scratch.remove,
  };
}

/** The program itself: npm's launcher always ends with 0. */
function binary(tool: "forge" | "cast"): string {
  const architecture = ARCHITECTURES[process.arch] ?? process.arch;
  return installed(`@foundry-rs/${tool}-${process.platform}-${architecture}`, "bin", tool);
}

/** Puts the compiler into a folder, by the name that tool chains look for; returns its path. */
export function installSolc(folder: string): string {
  const file = path.join(folder, `solc-${COMPILER.release}`);
  const program = path.join(import.meta.dirname, "programs/solc.mjs");
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
  chmodSync(file, 0o755);
  return file;
}

function configuration(compiler: string): string {
  // With its cache forge forgets the commit in the compiler's version, and asks the network for it.
  return `[profile.default]
src = "src"
out = "out"
solc = "${compiler}"
offline = true
cache = false
optimizer = true
optimizer_runs = 200
`;
}

function keyFor(explorer: Explorer): string {
  return `
[etherscan]
periscope = { key = "key-of-nobody", chain = ${CHAIN_ID}, url = "${explorer.url}/api" }
`;
}
