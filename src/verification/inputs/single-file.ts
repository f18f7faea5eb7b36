import { type CompilerInput, NOTHING_FURTHER, type Settings } from "../compilers/input.ts";
import { compareReleases } from "../compilers/versions.ts";
import { VerificationError } from "../errors.ts";
import type { CodeMetadata } from "../match/metadata/metadata.ts";
import { splitName, type VerificationForm } from "../request.ts";
import { collectSources, evmVersionSetting } from "./compiler-input.ts";

type FlattenedForm = Extract<VerificationForm, { format: "flattened" }>;

/** Since then a setting selects the kind of the metadata hash, or omits the metadata. */
const BYTECODE_HASH_SINCE = "0.6.0";
const APPEND_CBOR_SINCE = "0.8.18";

/** Builds the compile of a flattened source, with a guessed path. Throws `VerificationError`: `empty-source`. */
export function readFlattened(
  form: FlattenedForm,
  release: string,
  onChain: CodeMetadata | null,
): CompilerInput {
  if (form.source.trim() === "") throw new VerificationError({ code: "empty-source" });
  const { path, name } = splitName(form.name);
  const possiblePaths =
    path === null ? pathsOf(name ?? "source") : [path, ...pathsOf(name ?? "source")];
  const metadata = metadataSettings(release, onChain);
  const settings: Settings = {
    optimizer: { enabled: form.optimizer.enabled, runs: form.optimizer.runs },
    ...evmVersionSetting(form.evmVersion),
    ...(form.viaIR && { viaIR: true }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
  return {
    language: "Solidity",
    sources: collectSources([{ path: possiblePaths[0] ?? "", text: form.source }]),
    settings,
    rest: {},
    target: { path: null, name },
    libraries: form.libraries ?? [],
    possiblePaths,
  };
}

/** Returns tools' paths of a single file: plain, Remix and Hardhat 2, Foundry, Hardhat 3, servers with invented names. */
function pathsOf(name: string): string[] {
  return [
    `${name}.sol`,
    `contracts/${name}.sol`,
    `src/${name}.sol`,
    `project/contracts/${name}.sol`,
    name,
    "New.sol",
    "source.sol",
  ];
}

/** Returns the settings for metadata like that at the end of code on chain; none where they are the release's own. */
export function metadataSettings(release: string, onChain: CodeMetadata | null): Settings {
  if (onChain === null) {
    return compareReleases(release, APPEND_CBOR_SINCE) < 0 ? {} : { appendCBOR: false };
  }
  const kind = onChain.hash?.kind ?? "none";
  const isUsual = kind === "ipfs" || compareReleases(release, BYTECODE_HASH_SINCE) < 0;
  return isUsual ? {} : { bytecodeHash: kind };
}

type VyperForm = Extract<VerificationForm, { format: "vyper" }>;

/** Returns one compile for a single Vyper file, named after the contract. Throws `VerificationError`: `empty-source`. */
export function readVyper(form: VyperForm): CompilerInput {
  if (form.source.trim() === "") throw new VerificationError({ code: "empty-source" });
  const { path, name } = splitName(form.name);
  const file = path ?? `${name ?? "source"}.vy`;
  return {
    language: "Vyper",
    sources: collectSources([{ path: file, text: form.source }]),
    settings: evmVersionSetting(form.evmVersion),
    target: { path: file, name: null },
    ...NOTHING_FURTHER,
  };
}
