import { isRecord } from "../../core/json/record.ts";
import type { SourceFile } from "../../store/contracts/verified/verified-contract.ts";
import {
  type CompilerInput,
  type CompilerLanguage,
  type FurtherInput,
  NOTHING_FURTHER,
  type Settings,
  type Target,
} from "../compilers/input.ts";
import { splitName, splitNameIn } from "../request.ts";
import { collectSources, parseObject, refuse } from "./compiler-input.ts";

const LANGUAGES = {
  solc: ["Solidity", "Yul"],
  vyper: ["Vyper"],
} as const satisfies Record<string, readonly CompilerLanguage[]>;

const VYPER_KEYS = ["interfaces", "storage_layout_overrides"] as const;

/**
 * Reads standard JSON for solc or vyper. `name` is `Name` or `path:Name`. Sources must hold their text: nothing is
 * fetched from `urls`. Throws `VerificationError`: `invalid-json`, `missing-sources`, `empty-source`.
 */
export function readStandardJson(
  text: string,
  name: string,
  compiler: keyof typeof LANGUAGES,
): CompilerInput {
  const input = parseObject(text);
  const languages: readonly CompilerLanguage[] = LANGUAGES[compiler];
  const language = languages.find((known) => known === input["language"]);
  if (language === undefined) refuse(`The language must be ${languages.join(" or ")}.`);
  const settings = input["settings"] ?? {};
  if (!isRecord(settings)) refuse("The settings are not an object.");
  const sources = readSources(input["sources"]);
  const rest = compiler === "vyper" ? readFurther(input) : {};
  // The limits apply to all files together.
  collectSources([...sources, ...Object.values(rest).flatMap(interfaceFiles)]);
  return {
    language,
    sources: collectSources(sources),
    settings,
    ...NOTHING_FURTHER,
    rest,
    target: compiler === "vyper" ? vyperTarget(name, sources) : solcTarget(name, sources),
  };
}

/** Finds solc's target: the longest path counts, and a bare name of a Yul object may contain colons. */
function solcTarget(text: string, sources: readonly SourceFile[]): Target {
  const paths = sources.map(({ path }) => path).sort((left, right) => right.length - left.length);
  return splitNameIn(text, paths);
}

/** Finds vyper's target. A file has one contract, so a path suffices; a bare name means the only file with that name. */
function vyperTarget(text: string, sources: readonly SourceFile[]): Target {
  const { path, name } = splitName(text);
  if (path !== null) return { path, name: null };
  const ofName = sources.filter((file) => /[^/]*$/.exec(file.path)?.[0] === `${name}.vy`);
  const [only] = ofName.length === 1 ? ofName : [];
  return only === undefined ? { path, name } : { path: only.path, name: null };
}

function readFurther(input: Record<string, unknown>): FurtherInput {
  const found: Record<string, Settings> = {};
  for (const key of VYPER_KEYS) {
    const value = input[key];
    if (value === undefined) continue;
    found[key] = isRecord(value) ? value : refuse(`${key} is not an object.`);
  }
  return found;
}

/** Returns the texts of interfaces by file: source code, or JSON with an ABI. */
export function interfaceFiles(interfaces: Settings = {}): SourceFile[] {
  return Object.entries(interfaces).map(([path, value]) => {
    const content = isRecord(value) ? value["content"] : undefined;
    return { path, text: typeof content === "string" ? content : JSON.stringify(value) };
  });
}

function readSources(sources: unknown): SourceFile[] {
  if (!isRecord(sources)) refuse("It names no sources.");
  const files = Object.entries(sources).map(([path, source]) => {
    return { path, text: isRecord(source) ? source["content"] : undefined };
  });
  const missing = files.filter(({ text }) => typeof text !== "string").map(({ path }) => path);
  if (missing.length > 0) refuse(`The text of ${missing.slice(0, 10).join(", ")} is missing.`);
  if (files.length === 0) refuse("It names no sources.");
  return files as SourceFile[];
}
