import type { Address } from "../../src/core/evm/address.ts";
import type { Hex } from "../../src/core/evm/hex.ts";
import {
  type CompilerCatalogue,
  createCatalogue,
} from "../../src/verification/compilers/catalogue.ts";
import { type Compiler, openCompiler } from "../../src/verification/compilers/compiler.ts";
import { addressAt } from "../support/build.ts";
import { type Case, deployedInput, tampered } from "./case.ts";
import { createCompilerFolder } from "./compiler-folder.ts";
import { type DeploymentChain, initCodeOf, link, startDeploymentChain } from "./deployment.ts";

/** A case's contract on chain. */
export interface DeployedCase {
  address: Address;
  runtimeCode: Hex;
  /** Null: not known. */
  creationCode: Hex | null;
  /** The compiler's output for it. */
  metadata: string;
}

/** Compiles and deploys what the cases describe. */
export interface CaseChain {
  node: DeploymentChain;
  catalogue: CompilerCatalogue;
  /** In this process, unlike a worker's: loading a compiler takes longer than most of the cases. It remembers its outputs. */
  open(requested: string): Promise<Compiler>;
  deploy(it: Case): Promise<DeployedCase>;
  stop(): Promise<void>;
}

interface Compiled {
  metadata: string;
  evm: { bytecode: { object: string }; deployedBytecode: { object: string } };
}

/** Starts it, on a development node of its own unless another one is given. */
export async function startCaseChain(given?: DeploymentChain): Promise<CaseChain> {
  const chain = given ?? (await startDeploymentChain());
  const folder = createCompilerFolder();
  const compilers = new Map<string, Promise<Compiler>>();
  const catalogue = createCatalogue({
    folders: { solc: folder.path, vyper: undefined },
    downloads: { solc: undefined, vyper: undefined },
  });

  async function open(requested: string): Promise<Compiler> {
    const build = await catalogue.resolve("solc", requested);
    const opened = compilers.get(build.file) ?? openCompiler(build, 2 ** 26).then(remembering);
    compilers.set(build.file, opened);
    return opened;
  }

  async function compile(it: Case): Promise<Compiled> {
    const { settings, ...input } = deployedInput(it);
    const selected = ["metadata", "evm.bytecode.object", "evm.deployedBytecode.object"];
    const outputSelection = { "*": { "*": selected } };
    const compiler = await open(it.deployed.compiler);
    const text = JSON.stringify({ ...input, settings: { ...settings, outputSelection } });
    const output = JSON.parse(await compiler.compile(text));
    const [, path, name] = /^([^:]*):(.*)$/.exec(it.deployed.contract) ?? [];
    const contract = output.contracts?.[path ?? ""]?.[name ?? ""];
    if (contract === undefined) throw new Error(JSON.stringify(output.errors));
    return contract;
  }

  async function deploy(it: Case): Promise<DeployedCase> {
    const { deployed } = it;
    const compiled = await compile(it);
    const object = link(compiled.evm.bytecode.object, deployed.link);
    const creationCode: Hex = `0x${object}${deployed.arguments ?? ""}`;
    const initCode = deployed.via === "blueprint" ? initCodeOf(`0xfe7100${object}`) : creationCode;
    const { address, runtimeCode } =
      deployed.arguments === ""
        ? undeployed(compiled)
        : await chain.deploy(initCode, deployed.via === "create2" ? "create2" : undefined);
    return {
      address: deployed.moved ? addressAt(7) : address,
      runtimeCode: tampered(runtimeCode, deployed.tamper),
      creationCode: deployed.creation === "unknown" ? null : initCode,
      metadata: compiled.metadata,
    };
  }

  return {
    node: chain,
    catalogue,
    open,
    deploy,
    stop: async () => {
      await chain.anvil.stop();
      folder.remove();
    },
  };
}

/** Compiles the same input once: many cases deploy the same. */
function remembering(compiler: Compiler): Compiler {
  const outputs = new Map<string, Promise<string>>();
  const compile = (input: string) => {
    const output = outputs.get(input) ?? compiler.compile(input);
    outputs.set(input, output);
    return output;
  };
  return { ...compiler, compile };
}

/** A constructor may well refuse to run without its arguments: then the code is as if it had been put there. */
function undeployed(compiled: Compiled): { address: Address; runtimeCode: Hex } {
  return { address: addressAt(1), runtimeCode: `0x${compiled.evm.deployedBytecode.object}` };
}
