import { type Hex, lowerHex } from "../../core/evm/hex.ts";
import { isRecord } from "../../core/json/record.ts";
import type {
  DeploymentProof,
  ImmutableValue,
} from "../../store/contracts/verified/deployment-proofs.ts";
import type {
  SourceFile,
  VerifiedFacts,
} from "../../store/contracts/verified/verified-contract.ts";
import type { CompilerInput, CompilerLanguage, Settings } from "../compilers/input.ts";
import { type CompilerVersion, compareReleases, formatVersion } from "../compilers/versions.ts";
import { VerificationError } from "../errors.ts";
import { isPrintable, refuse } from "../inputs/compiler-input.ts";
import { librariesIn } from "../match/code/bytecode.ts";
import type { CodeMatch } from "../match/code/code-match.ts";
import { initCodeOfBlueprint } from "../match/code/instructions.ts";
import {
  type ContractMatch,
  type Levels,
  levelsOf,
  type OnChainCode,
} from "../match/contract-match.ts";
import { base58 } from "../match/metadata/content-hash.ts";
import { type CodeMetadata, readCodeMetadata } from "../match/metadata/metadata.ts";
import { methodNames } from "../match/methods.ts";
import { fingerprintOf, type Trial } from "../match/similar.ts";
import type { VerificationRequest } from "../request.ts";
import type { Candidate } from "./attempt.ts";
import { type KeptCode, keepCode } from "./kept-code.ts";
import { givenAddresses, keptSources, settingsIn, vyperPragmas } from "./kept-sources.ts";

/** Longer names are cut. */
const MAX_NAME_CHARACTERS = 1000;
const MAX_ABI_BYTES = 2_000_000;
const MAX_TEXT_BYTES = 10_000_000;

/** Proven facts of a contract, for answers without another compile. */
export interface VerifiedSource extends VerifiedFacts {
  sources: SourceFile[];
  settings: Settings;
  runtimeMatch: CodeMatch | null;
  creationMatch: CodeMatch | null;
  compiledRuntime: KeptCode;
  compiledCreation: KeptCode;
  trial: Trial | null;
}

/** Builds the stored facts of a match. */
export function describeContract(proven: {
  request: VerificationRequest;
  version: CompilerVersion;
  onChain: OnChainCode;
  input: CompilerInput;
  candidate: Candidate;
  values: ImmutableValue[];
  trial: Trial | null;
}): VerifiedSource {
  const { request, version, onChain, input, candidate, values, trial } = proven;
  const { path, name, contract, sourceIds, match } = candidate;
  const { abi, evm, metadata, layout: _, ...output } = contract.output;
  // In Yul, a name may be any text.
  if (!isPrintable(name)) refuse("The name of the contract is not printable text.");
  const { sources, further } = keptSources(input, path, metadata);
  const levels = levelsOf(match, initCodeOfBlueprint(onChain.runtimeCode) !== null);
  const { runtime: runtimeMatch, creation: creationMatch } = levels;
  // For Yul without reported runtime code, the code in its constructor is the source's.
  const isUnreported = match.compiledRuntime.bytes.length === 0 && creationMatch !== null;
  const isFromSource =
    runtimeMatch !== null ||
    (isUnreported && match.compiledCreation.bytes.includes(onChain.runtimeCode));
  const taken = settingsIn(metadata);
  const own = withPragmas(input, path, version.release);
  const given = givenAddresses(input.settings, taken);
  const linked = librariesOf(given, evm.legacyAssembly, [creationMatch, runtimeMatch]);
  return {
    language: input.language,
    format: request.format,
    compilerVersion: `v${formatVersion(version)}`,
    filePath: path,
    contractName: name.slice(0, MAX_NAME_CHARACTERS),
    sources,
    furtherInput: JSON.stringify(further),
    settings: withoutUnusedPaths(input.settings, sources),
    ...optimization(input.language, own, taken),
    evmVersion: typeof own["evmVersion"] === "string" ? own["evmVersion"] : null,
    license: request.license ?? null,
    libraries: linked.map((library) => ({ ...library, name: plainName(library.name) })),
    constructorArguments: creationMatch && (creationMatch.values.constructorArguments ?? "0x"),
    abi: bounded("ABI", JSON.stringify(abi), MAX_ABI_BYTES),
    outputs: bounded(
      "documentation",
      JSON.stringify({ ...output, methodIdentifiers: evm.methodIdentifiers }),
      MAX_TEXT_BYTES,
    ),
    metadata: bounded("metadata", metadata, MAX_TEXT_BYTES),
    metadataUri: uriOf(runtimeMatch && metadataOf(match, onChain.runtimeCode)),
    methods: methodNames(abi, evm.methodIdentifiers),
    runtimeMatch,
    creationMatch,
    compiledRuntime: keepCode(match.compiledRuntime),
    compiledCreation: keepCode(match.compiledCreation),
    sourceIds: JSON.stringify(
      Object.fromEntries(sources.flatMap((file) => [[file.path, sourceIds[file.path]]])),
    ),
    creationSourceMap: evm.bytecode.sourceMap ?? null,
    runtimeSourceMap: evm.deployedBytecode.sourceMap ?? null,
    fingerprint: runtimeMatch && fingerprintOf(match, runtimeMatch, onChain.runtimeCode),
    proof: proofOf(levels, isFromSource, values, linked),
    trial,
  };
}

function proofOf(
  { runtime, isConstructorCompared }: Levels,
  isCompiled: boolean,
  values: ImmutableValue[],
  libraries: DeploymentProof["libraries"],
): DeploymentProof {
  const construction = isConstructorCompared ? "compared" : "unknown";
  // Up to 0.4.0, vyper reports neither their names nor their positions.
  const hasImmutables = runtime?.values.immutables !== undefined;
  return {
    construction,
    immutables: hasImmutables ? construction : null,
    values,
    runtimeCode: isCompiled ? "compiled" : "foreign",
    run: null,
    libraries,
  };
}

function uriOf(metadata: CodeMetadata | null): string {
  if (metadata?.hash == null) return "";
  const { kind, value } = metadata.hash;
  return kind === "ipfs" ? `ipfs://${base58(value)}` : `bzzr://${value.toString("hex")}`;
}

/** Since then Vyper files choose the optimizer and the EVM version when no setting does. */
const PRAGMAS_SINCE = "0.3.10";

/** Returns the settings with a Vyper file's own, which may repeat but not contradict them. */
function withPragmas(
  { language, sources, settings }: CompilerInput,
  path: string,
  release: string,
): Settings {
  if (language !== "Vyper" || compareReleases(release, PRAGMAS_SINCE) < 0) return settings;
  const pragmas = vyperPragmas(sources.get(path) ?? "");
  return {
    ...settings,
    optimize: settings["optimize"] ?? pragmas.get("optimize"),
    evmVersion: settings["evmVersion"] ?? pragmas.get("evm-version"),
  };
}

/** Removes search folders without a file: Vyper accepts any text as one. */
function withoutUnusedPaths(settings: Settings, sources: readonly SourceFile[]): Settings {
  const { search_paths: folders, ...others } = settings;
  if (!Array.isArray(folders)) return others;
  const used = new Set([".", ...sources.flatMap(({ path }) => foldersOf(path))]);
  return { ...settings, search_paths: folders.filter((folder) => used.has(folder)) };
}

/** Returns the folders around a file, with and without a slash at the end. */
function foldersOf(path: string): string[] {
  return [...path.matchAll(/\/+/g)].flatMap(({ index, 0: slash }) => [
    path.slice(0, index),
    path.slice(0, index + slash.length),
  ]);
}

/** Details of an enabled optimizer, complete in metadata. */
const OPTIMIZATIONS = [
  "constantOptimizer",
  "cse",
  "deduplicate",
  "inliner",
  "orderLiterals",
  "yul",
] as const;

/** Parses the optimization: an object of solc; one word of vyper (`gas`, `codesize`, `none`) or, in old releases, a boolean. */
function optimization(
  language: CompilerLanguage,
  { optimizer, optimize }: Settings,
  taken: Settings,
): { optimizerEnabled: boolean | null; optimizerRuns: number | null } {
  if (language === "Vyper") {
    const optimizerEnabled =
      optimize === undefined ? null : optimize !== "none" && optimize !== false;
    return { optimizerEnabled, optimizerRuns: null };
  }
  if (!isRecord(optimizer)) return { optimizerEnabled: null, optimizerRuns: null };
  const fromMetadata = isRecord(taken["optimizer"]) ? taken["optimizer"] : {};
  const { enabled, runs } = { ...optimizer, ...fromMetadata };
  const { details } = fromMetadata;
  const isOn = isRecord(details) ? OPTIMIZATIONS.some((one) => details[one] === true) : enabled;
  return { optimizerEnabled: isOn === true, optimizerRuns: Number(runs ?? 200) };
}

/** Returns library addresses in the code, by `path:Name`: linked by the settings or after the compile. */
function librariesOf(given: Settings, assembly: unknown, matches: (CodeMatch | null)[]) {
  const addresses = new Map<string, Hex>();
  for (const name of librariesIn(assembly)) {
    const address = given[name] ?? given[plainName(name)];
    const qualified = name.includes(":") ? name : `:${name}`;
    if (typeof address === "string") addresses.set(qualified, lowerHex(address));
  }
  for (const match of matches) {
    for (const [id, address] of Object.entries(match?.values.libraries ?? {})) {
      addresses.set(id, address);
    }
  }
  return [...addresses].map(([name, address]) => ({ name, address }));
}

function plainName(qualified: string): string {
  return qualified.slice(qualified.lastIndexOf(":") + 1);
}

/** Returns the metadata at the end of the code on chain, if the compiled code also ends in metadata. */
function metadataOf({ compiledRuntime, compiledCreation }: ContractMatch, onChain: Buffer) {
  const isBlueprint = initCodeOfBlueprint(onChain) !== null;
  const { bytes, auxdata } = isBlueprint ? compiledCreation : compiledRuntime;
  const last = auxdata.at(-1);
  const isAtEnd = last !== undefined && last.offset + last.value.length === bytes.length;
  return isAtEnd ? readCodeMetadata(onChain) : null;
}

/** Throws `VerificationError` of code `compiler-limit` for a text that is too large to store. */
function bounded(what: string, text: string, limit: number): string {
  if (Buffer.byteLength(text) <= limit) return text;
  const bound = `${limit / 1_000_000} MB of ${what}`;
  throw new VerificationError({ code: "compiler-limit", limit: "output", bound });
}
