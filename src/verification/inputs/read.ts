import { isRecord } from "../../core/json/record.ts";
import type { CompilerInput, Settings } from "../compilers/input.ts";
import {
  type CompilerFamily,
  type CompilerVersion,
  compareReleases,
} from "../compilers/versions.ts";
import { VerificationError } from "../errors.ts";
import type { CodeMetadata } from "../match/metadata/metadata.ts";
import type { VerificationForm } from "../request.ts";
import { checkRuns, MAX_SOURCE_BYTES, parseObject, without } from "./compiler-input.ts";
import { knownFurther, knownSettings } from "./known-settings.ts";
import { findMetadata, readMetadataFiles } from "./metadata-files.ts";
import { readFlattened, readVyper } from "./single-file.ts";
import { readStandardJson } from "./standard-json.ts";

/** Returns a request's compiler; undefined for files without metadata. Parses as little as possible. */
export function requestedCompiler(
  form: VerificationForm,
): { family: CompilerFamily; version: string } | undefined {
  if (form.format !== "metadata-files") {
    return { family: familyOf(form.format), version: form.compilerVersion };
  }
  const metadata = findMetadata(form.files);
  return metadata && { family: "solc", version: metadata.compilerVersion };
}

function familyOf(format: VerificationForm["format"]): CompilerFamily {
  return format.startsWith("vyper") ? "vyper" : "solc";
}

/** Converts a request of any form into one compile. `onChain` is the metadata at the end of the code on chain. */
export function readInput(
  form: VerificationForm,
  version: CompilerVersion,
  onChain: CodeMetadata | null,
): CompilerInput {
  const input = readForm(form, version, onChain);
  const { release } = version;
  checkRuns(input.settings);
  const settings = knownSettings(input.settings, input.language, release);
  return {
    ...input,
    rest: knownFurther(input.rest, release),
    settings: withoutUnusedHash(withoutInliner(settings, release)),
  };
}

function readForm(form: VerificationForm, version: CompilerVersion, onChain: CodeMetadata | null) {
  switch (form.format) {
    case "flattened":
      return readFlattened(form, version.release, onChain);
    case "standard-json":
    case "vyper-json":
      return readStandardJson(form.input, form.name, familyOf(form.format));
    case "metadata-files":
      return readMetadataFiles(form.files);
    case "vyper":
      return readVyper(form);
  }
}

/** Removes an optimizer detail that 0.8.2 to 0.8.4 write into metadata but refuse as a setting. */
function withoutInliner(settings: Settings, release: string): Settings {
  const optimizer = settings["optimizer"];
  const affected = compareReleases(release, "0.8.2") >= 0 && compareReleases(release, "0.8.4") <= 0;
  if (!affected || !isRecord(optimizer) || !isRecord(optimizer["details"])) return settings;
  const { inliner, ...details } = optimizer["details"];
  const enabled = inliner === undefined ? {} : { enabled: inliner };
  return { ...settings, optimizer: { ...enabled, ...optimizer, details } };
}

/** Removes `bytecodeHash` where solc appends no metadata: solc writes it into the metadata but refuses it as a setting. */
function withoutUnusedHash(settings: Settings): Settings {
  const metadata = settings["metadata"];
  const isUnused =
    isRecord(metadata) && metadata["appendCBOR"] === false && metadata["bytecodeHash"] !== "none";
  return isUnused ? { ...settings, metadata: without(metadata, ["bytecodeHash"]) } : settings;
}

/** Returns whether the sources of a request are too large; false for invalid JSON. */
export function isTooLarge(form: VerificationForm): boolean {
  if ("source" in form) return sumSizes([form.source]) > MAX_SOURCE_BYTES;
  if ("files" in form) return sumSizes(form.files.map(({ text }) => text)) > 2 * MAX_SOURCE_BYTES;
  // JSON has at least the bytes of its texts: most requests need no parsing.
  return Buffer.byteLength(form.input) > MAX_SOURCE_BYTES && hasLargeSources(form.input);
}

function hasLargeSources(text: string): boolean {
  try {
    const { sources } = parseObject(text);
    const files = isRecord(sources) ? Object.values(sources) : [];
    const texts = files.map((file) => (isRecord(file) ? file["content"] : undefined));
    return sumSizes(texts.filter((content) => typeof content === "string")) > MAX_SOURCE_BYTES;
  } catch (error) {
    if (error instanceof VerificationError) return false;
    throw error;
  }
}

function sumSizes(texts: readonly string[]): number {
  return texts.reduce((size, text) => size + Buffer.byteLength(text), 0);
}
