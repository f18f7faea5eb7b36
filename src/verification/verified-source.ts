import { type Hex, hexFromBytes, lowerHex } from "../core/hex.ts";
import type { Candidate } from "./attempt.ts";
import { type CompilerVersion, formatVersion } from "./compilers/versions.ts";
import { type CompilerInput, isRecord, type Settings } from "./inputs/compiler-input.ts";
import type { CompiledCode, Slot } from "./match/bytecode.ts";
import { type CodeMatch, isMatch, type Mismatch } from "./match/code-match.ts";
import { base58 } from "./match/content-hash.ts";
import type { OnChainCode } from "./match/contract-match.ts";
import { type CodeMetadata, readCodeMetadata } from "./match/metadata.ts";
import { type MethodNames, methodNames } from "./match/methods.ts";
import { type CodeFingerprint, fingerprintOf } from "./match/similar.ts";
import type { GivenLibrary, SourceFile, VerificationForm, VerificationRequest } from "./request.ts";

/** Compiled code as it is kept: zeros where deployment fills in, and where that is. */
export interface KeptCode {
  code: Hex;
  libraries: readonly Slot[];
  immutables: readonly Slot[];
  auxdata: readonly { id: string; offset: number; value: Hex }[];
}

/** A verification's outcome: what was proven of a contract, complete enough to answer from without compiling again. */
export interface VerifiedSource {
  language: CompilerInput["language"];
  format: VerificationForm["format"];
  /** `v0.8.20+commit.a1b79de6`. */
  compilerVersion: string;
  filePath: string;
  contractName: string;
  sources: SourceFile[];
  settings: Settings;
  /** Null: the compiler's default. */
  evmVersion: string | null;
  /** Null: the settings do not speak of it. */
  optimizerEnabled: boolean | null;
  optimizerRuns: number | null;
  license: number | null;
  /** Addresses linked into the code, by plain library name. */
  libraries: GivenLibrary[];
  /** Null when the creation code did not match; empty (`0x`) when there are none. */
  constructorArguments: Hex | null;
  /** JSON without blanks. */
  abi: string;
  /** JSON of devdoc, userdoc, storageLayout, transientStorageLayout, methodIdentifiers. */
  outputs: string;
  /** The compiler's metadata text; empty when it gives none. */
  metadata: string;
  /** Where the metadata hash on chain points: `ipfs://…`, `bzzr://…`; empty when there is none. */
  metadataUri: string;
  methods: MethodNames;
  runtimeMatch: CodeMatch | null;
  creationMatch: CodeMatch | null;
  compiledRuntime: KeptCode;
  compiledCreation: KeptCode;
  /** Null when the runtime code did not match. */
  fingerprint: CodeFingerprint | null;
}

/** Puts together what is kept of a match. */
export function describeContract(proven: {
  request: VerificationRequest;
  version: CompilerVersion;
  onChain: OnChainCode;
  input: CompilerInput;
  candidate: Candidate;
}): VerifiedSource {
  const { request, onChain, input, candidate } = proven;
  const { path, name, contract, match } = candidate;
  const { abi, evm, metadata, ...output } = contract.output;
  const runtimeMatch = matchOrNull(match.runtime);
  const creationMatch = matchOrNull(match.creation);
  return {
    language: input.language,
    format: request.format,
    compilerVersion: `v${formatVersion(proven.version)}`,
    filePath: path,
    contractName: name,
    sources: [...input.sources].map(([file, text]) => ({ path: file, text })),
    settings: input.settings,
    ...optimization(input.settings),
    evmVersion: textOrNull(input.settings["evmVersion"]),
    license: request.license ?? null,
    libraries: librariesOf(input.settings, [runtimeMatch, creationMatch]),
    constructorArguments: creationMatch && (creationMatch.values.constructorArguments ?? "0x"),
    abi: JSON.stringify(abi),
    outputs: JSON.stringify({ ...output, methodIdentifiers: evm.methodIdentifiers }),
    metadata,
    metadataUri: uriOf(readCodeMetadata(onChain.runtimeCode)),
    methods: methodNames(abi, evm.methodIdentifiers),
    runtimeMatch,
    creationMatch,
    compiledRuntime: keep(match.compiledRuntime),
    compiledCreation: keep(match.compiledCreation),
    fingerprint: runtimeMatch && fingerprintOf(match, runtimeMatch, onChain.runtimeCode),
  };
}

function matchOrNull(outcome: CodeMatch | Mismatch | null): CodeMatch | null {
  return outcome !== null && isMatch(outcome) ? outcome : null;
}

function uriOf(metadata: CodeMetadata | null): string {
  if (metadata?.hash == null) return "";
  const { kind, value } = metadata.hash;
  return kind === "ipfs" ? `ipfs://${base58(value)}` : `bzzr://${value.toString("hex")}`;
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** solc has an object for it, vyper one word (`gas`, `codesize`, `none`) or, long ago, a boolean. */
function optimization(settings: Settings): {
  optimizerEnabled: boolean | null;
  optimizerRuns: number | null;
} {
  const { optimizer, optimize } = settings;
  if (isRecord(optimizer)) {
    const runs = Number(optimizer["runs"] ?? 200);
    return { optimizerEnabled: optimizer["enabled"] === true, optimizerRuns: runs };
  }
  const optimizerEnabled =
    optimize === undefined ? null : optimize !== "none" && optimize !== false;
  return { optimizerEnabled, optimizerRuns: null };
}

function librariesOf(settings: Settings, matches: (CodeMatch | null)[]): GivenLibrary[] {
  const addresses = new Map<string, Hex>();
  const given = isRecord(settings["libraries"]) ? settings["libraries"] : {};
  for (const [name, address] of Object.values(given).flatMap((names) =>
    Object.entries(isRecord(names) ? names : {}),
  )) {
    if (typeof address === "string") addresses.set(name, lowerHex(address));
  }
  for (const match of matches) {
    for (const [id, address] of Object.entries(match?.values.libraries ?? {})) {
      addresses.set(id.slice(id.lastIndexOf(":") + 1), address);
    }
  }
  return [...addresses].map(([name, address]) => ({ name, address }));
}

function keep({ bytes, libraries, immutables, auxdata }: CompiledCode): KeptCode {
  return {
    code: hexFromBytes(bytes),
    libraries,
    immutables,
    auxdata: auxdata.map(({ id, offset, value }) => ({ id, offset, value: hexFromBytes(value) })),
  };
}
