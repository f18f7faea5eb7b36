import { VerificationError } from "../errors.ts";
import type { GivenLibrary, SourceFile } from "../request.ts";

export type CompilerLanguage = "Solidity" | "Yul" | "Vyper";

/** What every form of a request becomes: sources and settings for one compile, and which contract is meant. */
export interface CompilerInput {
  language: CompilerLanguage;
  /** Text by path. A map, since any text is a legal path. */
  sources: ReadonlyMap<string, string>;
  /** As sent, without what does not change the code (`withoutOutput`). */
  settings: Settings;
  /** Further keys of vyper's standard JSON: `interfaces`, `storage_layout_overrides`. */
  rest: Readonly<Record<string, unknown>>;
  target: Target;
  /** Addresses that must be those on chain. */
  libraries: readonly GivenLibrary[];
  /** Paths the file may have had where it was compiled first; only for a flattened source. */
  possiblePaths: readonly string[];
}

export type Settings = Readonly<Record<string, unknown>>;

/** Null: not said. */
export interface Target {
  path: string | null;
  name: string | null;
}

const MAX_SOURCES = 1000;
const MAX_SOURCE_BYTES = 16 * 1024 * 1024;
const MAX_PATH_BYTES = 500;
const CONTROL_CHARACTER = /\p{Cc}/u;

/** The sources as a map. Throws `VerificationError` of code `invalid-json` when they are too many or too large. */
export function collectSources(files: Iterable<SourceFile>): Map<string, string> {
  const sources = new Map<string, string>();
  let size = 0;
  for (const { path, text } of files) {
    if (Buffer.byteLength(path) > MAX_PATH_BYTES)
      refuse(`A path is longer than ${MAX_PATH_BYTES} bytes.`);
    if (!path.isWellFormed() || CONTROL_CHARACTER.test(path))
      refuse("A path is no printable text.");
    size += Buffer.byteLength(text);
    sources.set(path, text);
  }
  if (sources.size > MAX_SOURCES) refuse(`There are more than ${MAX_SOURCES} source files.`);
  if (size > MAX_SOURCE_BYTES) refuse(`The sources are larger than ${MAX_SOURCE_BYTES >> 20} MiB.`);
  return sources;
}

/** The settings without what selects outputs or stops early, none of which changes the code or the metadata. */
export function withoutOutput(settings: Settings): Settings {
  const kept = without(settings, ["outputSelection", "modelChecker", "stopAfter"]);
  const debug = kept["debug"];
  return isRecord(debug) ? { ...kept, debug: without(debug, ["debugInfo"]) } : kept;
}

/** The record without some of its keys. */
export function without(record: Settings, keys: readonly string[]): Settings {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));
}

/** The setting for an EVM version of a request; none when it is absent, empty or `default`. */
export function evmVersionSetting(evmVersion: string | undefined): Settings {
  return evmVersion && evmVersion.toLowerCase() !== "default" ? { evmVersion } : {};
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function refuse(detail: string): never {
  throw new VerificationError({ code: "invalid-json", detail });
}
