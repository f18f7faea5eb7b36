import { scanJson } from "../../core/json/json-scan.ts";
import { isRecord } from "../../core/json/record.ts";
import type { SourceFile } from "../../store/contracts/verified/verified-contract.ts";
import type { CompilerInput, Settings } from "../compilers/input.ts";
import { VerificationError } from "../errors.ts";

const MAX_SOURCES = 1000;
/** For all sources of a request together. */
export const MAX_SOURCE_BYTES = 5_000_000;
const MAX_PATH_BYTES = 500;
/** Invisible characters: controls, those that change the direction of the text, and those without a glyph. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\u2800]/u;

/** Collects the sources in a map. Throws `VerificationError` of code `invalid-json` when they are too many or too large. */
export function collectSources(files: Iterable<SourceFile>): Map<string, string> {
  const sources = new Map<string, string>();
  let size = 0;
  for (const { path, text } of files) {
    if (Buffer.byteLength(path) > MAX_PATH_BYTES)
      refuse(`A path is longer than ${MAX_PATH_BYTES} bytes.`);
    if (!isPrintable(path)) refuse("A path is not printable text.");
    size += Buffer.byteLength(text);
    sources.set(path, text);
  }
  if (sources.size > MAX_SOURCES) refuse(`There are more than ${MAX_SOURCES} source files.`);
  if (size > MAX_SOURCE_BYTES)
    refuse(`The sources are larger than ${MAX_SOURCE_BYTES / 1_000_000} MB.`);
  return sources;
}

/** Returns whether all characters of a name are visible. */
export function isPrintable(name: string): boolean {
  return name.isWellFormed() && !UNSEEN.test(name);
}

/** Throws `VerificationError` of code `invalid-json` for optimizer runs beyond JavaScript's integers; solc takes up to 2^64. */
export function checkRuns({ optimizer }: Settings): void {
  const runs = isRecord(optimizer) ? optimizer["runs"] : undefined;
  if (typeof runs === "number" && !Number.isSafeInteger(runs)) {
    refuse("The optimizer's runs are not a whole number below 2^53.");
  }
}

/** Returns whether the compiler appends metadata; otherwise the author chooses the end of the code. */
export function writesMetadata(input: Pick<CompilerInput, "language" | "settings">): boolean {
  const { metadata } = input.settings;
  return input.language !== "Yul" && !(isRecord(metadata) && metadata["appendCBOR"] === false);
}

/** Returns the record without some of its keys. */
export function without(record: Settings, keys: readonly string[]): Settings {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));
}

/** Returns the setting for a request's EVM version; none when it is absent, empty or `default`. */
export function evmVersionSetting(evmVersion: string | undefined): Settings {
  return evmVersion && evmVersion.toLowerCase() !== "default" ? { evmVersion } : {};
}

export function refuse(detail: string): never {
  throw new VerificationError({ code: "invalid-json", detail });
}

const MAX_DEPTH = 32;
/** Metadata has some 15 tokens for each entry of the ABI, a thousand sources 10,000. */
export const MOST_TOKENS = 250_000;

/** Parses a JSON object, also in an extra pair of braces. Throws `VerificationError`, also above 32 levels or 250,000 tokens. */
export function parseObject(sent: string): Record<string, unknown> {
  const text = /^\s*\{\s*\{/.test(sent) ? sent.trim().slice(1, -1) : sent;
  const { kind } = scanJson(Buffer.from(text), { depth: MAX_DEPTH, tokens: MOST_TOKENS });
  if (kind === "too-deep") refuse(`It is nested deeper than ${MAX_DEPTH} levels.`);
  if (kind === "too-many") refuse("It has too many parts.");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    refuse("It does not parse.");
  }
  return isRecord(value) ? value : refuse("It is not an object.");
}
