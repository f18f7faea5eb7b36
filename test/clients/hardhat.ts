import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import type { Hex } from "viem";
import { CHAIN_ID, type Explorer } from "./explorer.ts";
import { createScratch, type Ending } from "./program.ts";
import { COMPILER, ENCODED_ARGUMENTS, OWNED, vault } from "./vaults.ts";

/** The kinds of verifiers that the plugin knows; the older one has no Sourcify that can be pointed here. */
type Verifier = "etherscan" | "blockscout" | "sourcify";

/** A Hardhat project of vaults, and Hardhat run in it. */
export interface HardhatProject {
  folder: string;
  hardhat(...args: string[]): Promise<Ending>;
  /** Builds it as for deployment. */
  build(): Promise<Ending>;
  /** Asks one of the plugin's verifiers to verify a vault. */
  verify(verifier: Verifier, address: Hex, ...args: string[]): Promise<Ending>;
  /** Deploys a vault that is built; its address, once it is indexed. */
  deploy(name: string): Promise<Hex>;
  remove(): void;
}

/** Whose compiler it builds with. */
const PRODUCT = path.join(import.meta.dirname, "../../package.json");

interface Package {
  bin: { hardhat: string };
}

/**
 * Creates the project in a scratch folder, with the configuration and the packages of that Hardhat's folder here;
 * `settings` are further ones for that configuration.
 */
export function createHardhatProject(
  explorer: Explorer,
  generation: "hardhat-2" | "hardhat-3",
  vaults: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): HardhatProject {
  const scratch = createScratch();
  const inProject = (...parts: string[]) => path.join(scratch.folder, ...parts);
  const home = path.join(import.meta.dirname, generation);
  const manifest = createRequire(path.join(home, "package.json")).resolve("hardhat/package.json");
  const { bin } = JSON.parse(readFileSync(manifest, "utf8")) as Package;
  symlinkSync(path.join(manifest, "../.."), inProject("node_modules"));
  for (const file of ["package.json", "hardhat.config.js"]) {
    copyFileSync(path.join(home, file), inProject(file));
  }
  mkdirSync(inProject("contracts"));
  writeFileSync(inProject("contracts/Owned.sol"), OWNED);
  for (const name of vaults) writeFileSync(inProject(`contracts/${name}.sol`), vault(name));

  function hardhat(args: readonly string[], more: Readonly<Record<string, string>> = {}) {
    return scratch.run(
      process.execPath,
      [inProject("node_modules/hardhat", bin.hardhat), ...args],
      {
        environment: {
          API_URL: `${explorer.url}/api`,
          CHAIN_ID: String(CHAIN_ID),
          COMPILER_PATH: createRequire(PRODUCT).resolve("solc/soljson.js"),
          COMPILER_VERSION: COMPILER.version.slice(1),
          EXPLORER_URL: explorer.url,
          RPC_URL: explorer.rpcUrl,
          ...settings,
          ...more,
        },
      },
    );
  }

  return {
    folder: scratch.folder,
    hardhat: (...args) => hardhat(args),
    build: () =>
      hardhat(
        generation === "hardhat-2" ? ["compile"] : ["build", "--build-profile", "production"],
      ),
    verify: (verifier, ...args) => {
      const network = ["--network", "periscope"];
      // The older one runs every verifier that its configuration enables.
      return generation === "hardhat-2"
        ? hardhat(["verify", ...network, ...args], { VERIFIER: verifier })
        : hardhat(["verify", verifier, ...network, ...args]);
    },
    deploy: async (name) => {
      const artifact = inProject(`artifacts/contracts/${name}.sol/${name}.json`);
      const { bytecode } = JSON.parse(readFileSync(artifact, "utf8")) as { bytecode: Hex };
      return explorer.deploy(`${bytecode}${ENCODED_ARGUMENTS.slice(2)}`);
    },
    remove: scratch.remove,
  };
}
