import type { Address } from "../../core/evm/address.ts";
import type { MatchQuality } from "../../store/contracts/verified/verified-contract.ts";
import {
  type CompilerInput,
  type CompilerLanguage,
  hasVerbatim,
  type Settings,
} from "../compilers/input.ts";
import type { ContractOutput } from "../compilers/output.ts";
import { compareReleases } from "../compilers/versions.ts";
import { type CompiledCode, readCompiledCode } from "./code/bytecode.ts";
import { type CodeMatch, hasOtherMetadata, isMatch, type Mismatch } from "./code/code-match.ts";
import { type Following, matchCreationCode } from "./code/creation-code.ts";
import { initCodeOfBlueprint, stopsAtEnd } from "./code/instructions.ts";
import { matchRuntimeCode } from "./code/runtime-code.ts";
import { immutablesIn, matchVyperCreationCode, matchVyperRuntimeCode } from "./code/vyper-code.ts";
import {
  type AssemblyAuxdata,
  collectAuxdata,
  markAuxdata,
  markAuxdataAtEnd,
  oldAuxdata,
  RUNTIME_ASSEMBLY,
} from "./metadata/auxdata.ts";
import { readVyperMetadata, type VyperMetadata } from "./metadata/metadata.ts";

/** The code on chain for the comparison. */
export interface OnChainCode {
  address: Address;
  runtimeCode: Buffer;
  /** Init code of the creation, arguments included; null when the creation is unknown. */
  creationCode: Buffer | null;
}

/** A compiled contract compared with the code on chain. */
export interface ContractMatch {
  runtime: CodeMatch | Mismatch;
  /** Null when the creation is unknown. */
  creation: CodeMatch | Mismatch | null;
  compiledRuntime: CompiledCode;
  compiledCreation: CompiledCode;
}

/** A contract of a compiler's output, ready for the comparison. */
export interface CompiledContract {
  output: ContractOutput;
  runtime: CompiledCode;
  creation: CompiledCode;
  reported: AssemblyAuxdata;
  /** Metadata of vyper after the creation code; null when there is none. */
  vyper: VyperMetadata | null;
  /** Bytes allowed after the creation code. */
  following: Following;
}

/** The part of the compiler's input that decides where metadata is. */
export interface CompiledFrom {
  language: CompilerLanguage;
  release: string;
  settings: Settings;
  sources: CompilerInput["sources"];
  /** See `unreportedAuxdata`. */
  unreported: AssemblyAuxdata;
}

/** These versions write metadata without reporting it. */
const UNREPORTED = { first: "0.4.7", last: "0.4.11" };

/** Returns metadata that a compiler writes without reporting it, by contract; empty for other compilers. */
export function unreportedAuxdata(
  { language, release }: Pick<CompiledFrom, "language" | "release">,
  texts: () => ReadonlyMap<string, string>,
): AssemblyAuxdata {
  const isUnreported =
    language === "Solidity" &&
    compareReleases(release, UNREPORTED.first) >= 0 &&
    compareReleases(release, UNREPORTED.last) <= 0;
  return new Map(isUnreported ? [...texts()].map(([name, text]) => [name, oldAuxdata(text)]) : []);
}

/** Returns a contract's codes, metadata marked, or undefined. Only solc's reports for Solidity count: Yul's author writes it. */
export function readContract(
  output: ContractOutput,
  { language, release, settings, sources, unreported }: CompiledFrom,
): CompiledContract | undefined {
  const runtime = readCompiledCode(output.evm.deployedBytecode);
  const creation = readCompiledCode(output.evm.bytecode);
  if (runtime === undefined || creation === undefined) return undefined;
  const reported: AssemblyAuxdata =
    unreported.size > 0
      ? new Map([
          [RUNTIME_ASSEMBLY, oldAuxdata(output.metadata)],
          ...[...unreported].filter(([, value]) => creation.bytes.includes(value)),
        ])
      : collectAuxdata(language === "Solidity" ? output.evm.legacyAssembly : undefined);
  const mark = (code: CompiledCode) => markAuxdataAtEnd(code, reported);
  const vyper = language === "Vyper" ? vyperMetadataOf(creation, release, settings) : null;
  const following =
    language === "Yul"
      ? followingYul({ runtime, creation }, output.evm.bytecode.sourceMap, sources)
      : output.abi;
  return { output, runtime: mark(runtime), creation: mark(creation), reported, vyper, following };
}

/**
 * Returns whether nothing may follow Yul code: it runs on at its end, contains `verbatim`, or the
 * compiler (0.5, 0.8.7 with immutables) has no usable source map. Code before its runtime code ends
 * in INVALID.
 */
function followingYul(
  { runtime, creation }: Pick<CompiledContract, "runtime" | "creation">,
  sourceMap: string | undefined,
  sources: CompiledFrom["sources"],
): Following {
  const setsImmutables = [...sources.values()].some((text) => text.includes("setimmutable"));
  const isStopping =
    runtime.bytes.length > 0 || (!setsImmutables && stopsAtEnd(creation.bytes, sourceMap ?? ""));
  return isStopping && !hasVerbatim({ sources }) ? "data" : "nothing";
}

/** Since these versions vyper writes the sizes of the code, and a hash over the sources. */
const VYPER_SIZES_SINCE = "0.3.10";
const VYPER_INTEGRITY_SINCE = "0.4.1";

/** Returns vyper's metadata; without it, the author chooses the end of the code. */
function vyperMetadataOf({ bytes }: CompiledCode, release: string, settings: Settings) {
  // Any other value may count as false in Python.
  const isWritten =
    settings["bytecodeMetadata"] === undefined || settings["bytecodeMetadata"] === true;
  if (!isWritten || compareReleases(release, VYPER_SIZES_SINCE) < 0) return null;
  const found = readVyperMetadata(bytes);
  const hasIntegrity = compareReleases(release, VYPER_INTEGRITY_SINCE) >= 0;
  return found && { ...found, integrity: hasIntegrity ? found.integrity : null };
}

/** Returns the contract with all metadata marked, by a second compile of sources that differ in blanks. */
export function withInnerAuxdata(
  contract: CompiledContract,
  other: CompiledContract,
): CompiledContract {
  const { runtime, creation, reported } = contract;
  return {
    ...contract,
    runtime: markAuxdata(runtime, reported, other.runtime, other.reported),
    creation: markAuxdata(creation, reported, other.creation, other.reported),
  };
}

/** Compares a contract of solc. `given` are the constructor arguments in the request, null for none. */
export function matchContract(
  contract: CompiledContract,
  onChain: OnChainCode,
  given: Buffer | null,
): ContractMatch {
  const { runtime, creation, reported, following } = contract;
  const all = auxdataOf(reported, creation);
  const inRuntime = auxdataOf(
    new Map([...reported].filter(([path]) => path.startsWith(RUNTIME_ASSEMBLY))),
    runtime,
  );
  const blueprint = initCodeOfBlueprint(onChain.runtimeCode);
  return {
    runtime:
      blueprint === null
        ? matchRuntimeCode(runtime, inRuntime, onChain.runtimeCode, onChain.address)
        : matchCreationCode(creation, all, blueprint, [], null),
    creation:
      onChain.creationCode &&
      matchCreationCode(creation, all, onChain.creationCode, following, given),
    compiledRuntime: runtime,
    compiledCreation: creation,
  };
}

/** Compares a contract of vyper. */
export function matchVyperContract(
  contract: CompiledContract,
  onChain: OnChainCode,
  given: Buffer | null,
): ContractMatch {
  const { output, runtime, creation, vyper } = contract;
  const creationMatch =
    onChain.creationCode &&
    matchVyperCreationCode(creation, vyper, onChain.creationCode, output.abi, given);
  const ends = immutablesIn(output.layout)?.map(({ offset, length }) => offset + length);
  const immutableBytes = vyper?.immutableBytes ?? (ends && Math.max(0, ...ends));
  const blueprint = initCodeOfBlueprint(onChain.runtimeCode);
  return {
    runtime:
      blueprint === null
        ? matchVyperRuntimeCode(runtime, immutableBytes, onChain.runtimeCode, creationMatch)
        : matchVyperCreationCode(creation, vyper, blueprint, [], null),
    creation: creationMatch,
    compiledRuntime: runtime,
    compiledCreation: creation,
  };
}

function auxdataOf(reported: AssemblyAuxdata, code: CompiledCode): Buffer[] {
  return reported.size > 0 ? [...reported.values()] : code.auxdata.map(({ value }) => value);
}

/** Returns full when either code is fully matched; null when neither matches. */
export function qualityOf({ runtime, creation }: ContractMatch): MatchQuality | null {
  const matches = [runtime, creation].filter((code) => code !== null && isMatch(code));
  if (matches.length === 0) return null;
  return matches.some(({ quality }) => quality === "full") ? "full" : "partial";
}

/** Returns the rank of a match: full before partial, both codes before one; 0 for none. */
export function rankOf(match: ContractMatch): number {
  const quality = qualityOf(match);
  if (quality === null) return 0;
  const both = match.creation !== null && isMatch(match.runtime) && isMatch(match.creation);
  return (quality === "full" ? 2 : 0) + (both ? 1 : 0) + 1;
}

/** The result of the comparison of the codes. */
export interface Levels {
  runtime: CodeMatch | null;
  creation: CodeMatch | null;
  /** The compiled constructor ran, with any arguments. */
  isConstructorCompared: boolean;
  /** Another constructor ran: only a run of the compiled one shows whether it would leave the same code. */
  needsTrial: boolean;
}

/** Returns a match's levels. Where one code differs, the other is partial at most: constructors can return anything. */
export function levelsOf({ runtime, creation }: ContractMatch, isBlueprint: boolean): Levels {
  const isOther = hasOtherMetadata(runtime) || (creation !== null && hasOtherMetadata(creation));
  const matchIn = (code: CodeMatch | Mismatch | null): CodeMatch | null => {
    if (code === null || !isMatch(code)) return null;
    return isOther ? partial(code) : code;
  };
  const levels = { runtime: matchIn(runtime), creation: matchIn(creation) };
  // A blueprint's constructor has not run: the created code holds it.
  if (creation === null || isBlueprint) {
    return { ...levels, isConstructorCompared: false, needsTrial: false };
  }
  const isConstructorCompared = isMatch(creation) || creation.kind === "constructor-arguments";
  if (levels.runtime !== null && !isConstructorCompared) {
    return { ...levels, runtime: partial(levels.runtime), isConstructorCompared, needsTrial: true };
  }
  if (levels.runtime === null && levels.creation !== null) {
    levels.creation = partial(levels.creation);
  }
  return { ...levels, isConstructorCompared, needsTrial: false };
}

function partial(match: CodeMatch): CodeMatch {
  return { ...match, quality: "partial" };
}
