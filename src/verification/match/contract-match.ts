import type { Address } from "../../core/address.ts";
import type { ContractOutput } from "../compilers/output.ts";
import {
  type AssemblyAuxdata,
  collectAuxdata,
  hasInnerAuxdata,
  markAuxdata,
  markAuxdataAtEnd,
} from "./auxdata.ts";
import { initCodeOfBlueprint } from "./blueprint.ts";
import { type CompiledCode, readCompiledCode } from "./bytecode.ts";
import { type CodeMatch, isMatch, type MatchQuality, type Mismatch } from "./code-match.ts";
import { matchCreationCode } from "./creation-code.ts";
import { matchRuntimeCode } from "./runtime-code.ts";
import { matchVyperCreationCode, matchVyperRuntimeCode } from "./vyper-code.ts";

/** The code that a contract is to be matched with. */
export interface OnChainCode {
  address: Address;
  runtimeCode: Buffer;
  /** Init code of the creation, arguments included; null when the creation is not known. */
  creationCode: Buffer | null;
}

/** A compiled contract compared with the code on chain. */
export interface ContractMatch {
  runtime: CodeMatch | Mismatch;
  /** Null when the creation is not known. */
  creation: CodeMatch | Mismatch | null;
  compiledRuntime: CompiledCode;
  compiledCreation: CompiledCode;
}

/** A contract of a compiler's output, ready to be compared. */
export interface CompiledContract {
  output: ContractOutput;
  runtime: CompiledCode;
  creation: CompiledCode;
  told: AssemblyAuxdata;
}

/** Runtime code is the first assembly among the data of the creation code. */
const RUNTIME_ASSEMBLY = "/0";

/** The codes of a contract with the metadata at their ends marked; undefined when they cannot be read. */
export function readContract(output: ContractOutput): CompiledContract | undefined {
  const runtime = readCompiledCode(output.evm.deployedBytecode);
  const creation = readCompiledCode(output.evm.bytecode);
  if (runtime === undefined || creation === undefined) return undefined;
  const told = collectAuxdata(output.evm.legacyAssembly);
  return {
    output,
    runtime: markAuxdataAtEnd(runtime, told),
    creation: markAuxdataAtEnd(creation, told),
    told,
  };
}

/** Whether metadata stands where only a second compile can find it. */
export function needsSecondCompile({ creation, told }: CompiledContract): boolean {
  return hasInnerAuxdata(creation, told);
}

/** The contract with all metadata marked, with the help of a compile of sources that differ in blanks. */
export function withInnerAuxdata(
  contract: CompiledContract,
  other: CompiledContract,
): CompiledContract {
  const { runtime, creation, told } = contract;
  return {
    ...contract,
    runtime: markAuxdata(runtime, told, other.runtime, other.told),
    creation: markAuxdata(creation, told, other.creation, other.told),
  };
}

/** Compares a contract that solc made. `given` are the constructor arguments of the request, null for none. */
export function matchContract(
  contract: CompiledContract,
  onChain: OnChainCode,
  given: Buffer | null,
): ContractMatch {
  const { output, runtime, creation, told } = contract;
  const all = auxdataOf(told, creation);
  const inRuntime = told.size === 0 ? auxdataOf(told, runtime) : auxdataOf(below(told), runtime);
  const blueprint = initCodeOfBlueprint(onChain.runtimeCode);
  return {
    runtime:
      blueprint === null
        ? matchRuntimeCode(runtime, inRuntime, onChain.runtimeCode, onChain.address)
        : matchCreationCode(creation, all, blueprint, [], null),
    creation:
      onChain.creationCode &&
      matchCreationCode(creation, all, onChain.creationCode, output.abi, given),
    compiledRuntime: runtime,
    compiledCreation: creation,
  };
}

/** Compares a contract that vyper made. */
export function matchVyperContract(
  contract: CompiledContract,
  onChain: OnChainCode,
  given: Buffer | null,
): ContractMatch {
  const { output, runtime, creation } = contract;
  const creationMatch =
    onChain.creationCode &&
    matchVyperCreationCode(creation, onChain.creationCode, output.abi, given);
  const blueprint = initCodeOfBlueprint(onChain.runtimeCode);
  return {
    runtime:
      blueprint === null
        ? matchVyperRuntimeCode(runtime, creation, onChain.runtimeCode, creationMatch)
        : matchVyperCreationCode(creation, blueprint, [], null),
    creation: creationMatch,
    compiledRuntime: runtime,
    compiledCreation: creation,
  };
}

function auxdataOf(told: AssemblyAuxdata, code: CompiledCode): Buffer[] {
  return told.size > 0 ? [...told.values()] : code.auxdata.map(({ value }) => value);
}

function below(told: AssemblyAuxdata): AssemblyAuxdata {
  return new Map([...told].filter(([path]) => path.startsWith(RUNTIME_ASSEMBLY)));
}

/** Full when either code is fully matched; null when neither matches. */
export function qualityOf({ runtime, creation }: ContractMatch): MatchQuality | null {
  const matches = [runtime, creation].filter((code) => code !== null && isMatch(code));
  if (matches.length === 0) return null;
  return matches.some(({ quality }) => quality === "full") ? "full" : "partial";
}

/** Whether nothing but code as compiled is on chain: no metadata was exchanged. */
export function rankOf(match: ContractMatch): number {
  const quality = qualityOf(match);
  if (quality === null) return 0;
  const both = match.creation !== null && isMatch(match.runtime) && isMatch(match.creation);
  return (quality === "full" ? 2 : 0) + (both ? 1 : 0) + 1;
}
