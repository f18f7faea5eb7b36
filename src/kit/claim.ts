import { z } from "zod";
import { librariesByFile } from "../core/evm/libraries.ts";
import { recordOf } from "../core/json/record-schema.ts";

/** An untrusted claim about a contract's source, in the form of `verifysourcecode`. */
export type Claim = Readonly<Record<string, string>>;

const file = z.object({ Filename: z.string(), SourceCode: z.string() });
const library = z.object({ name: z.string(), address_hash: z.string() });
/** Text by name: a compilation target, or libraries. */
const namedTexts = recordOf(z.string());

/** An element of `getsourcecode`, in Etherscan's form or in Blockscout's. */
const record = z.object({
  SourceCode: z.string().min(1),
  ContractName: z.string().min(1),
  CompilerVersion: z.string().min(1),
  OptimizationUsed: z.coerce.string().default("0"),
  Runs: z.coerce.string().optional(),
  OptimizationRuns: z.coerce.string().optional(),
  ConstructorArguments: z.string().nullish(),
  EVMVersion: z.string().nullish(),
  Library: z.string().nullish(),
  FileName: z.string().nullish(),
  ContractFileName: z.string().nullish(),
  AdditionalSources: z.array(file).default([]),
  ExternalLibraries: z.array(library).default([]),
  CompilerSettings: z.record(z.string(), z.unknown()).nullish(),
});
type SourceRecord = z.output<typeof record>;

const COMPILERS_RUNS = 200;

/** Returns the claim in an explorer's answer; undefined when it has no source. */
export function claimOf(answer: unknown): Claim | undefined {
  const parsed = record.safeParse(answer);
  if (!parsed.success) return undefined;
  const source = asCompiled(parsed.data);
  const { ContractName: name, FileName, ContractFileName } = source;
  const path = FileName || ContractFileName;
  const isVyper = isVyperSource(source);
  const common = {
    contractname: path && !name.includes(":") ? `${path}:${name}` : name,
    compilerversion: source.CompilerVersion,
    ...(source.ConstructorArguments && { constructorArguments: source.ConstructorArguments }),
  };
  const input = standardInput(source, isVyper);
  return input === undefined
    ? { ...common, ...flattened(source) }
    : { ...common, ...standard(input, isVyper) };
}

/** Restores Blockscout's records from Sourcify: their settings are metadata's, and their files have a leading slash. */
function asCompiled(source: SourceRecord): SourceRecord {
  const { CompilerSettings: settings, AdditionalSources: others } = source;
  const target = namedTexts.safeParse(settings?.["compilationTarget"]).data;
  const [main] = Object.keys(target ?? {});
  if (!settings || main === undefined) return source;
  const isAbsolute = main.startsWith("/");
  return {
    ...source,
    FileName: main,
    AdditionalSources: others.map(({ Filename, SourceCode }) => ({
      Filename: isAbsolute ? Filename : Filename.replace(/^\//, ""),
      SourceCode,
    })),
    CompilerSettings: settingsOfMetadata(settings),
  };
}

/** Converts metadata's settings, with target and `file:Library`, into the compiler's input, with libraries by file. */
export function settingsOfMetadata(settings: Readonly<Record<string, unknown>>) {
  const { compilationTarget, libraries, ...others } = settings;
  return {
    ...others,
    ...(libraries !== undefined && {
      libraries: librariesByFile(namedTexts.safeParse(libraries).data ?? {}),
    }),
  };
}

// No character of a name follows the name: otherwise a long one is tried in all its parts.
const SOLIDITY =
  /\bpragma\s+solidity\b|\b(?:contract|library|interface)\s+[\w$]+(?:[^\w${}:;][^{}:;]{0,1000})?\{/;

/** Detects Vyper: Blockscout's form of a single file has neither language nor file name. */
function isVyperSource({ CompilerVersion, FileName, SourceCode }: SourceRecord): boolean {
  if (/vyper/i.test(CompilerVersion) || /\.vy$/.test(FileName ?? "")) return true;
  return !/^\s*\{/.test(SourceCode) && !SOLIDITY.test(SourceCode);
}

/** Returns the claim of a complete standard JSON input. */
export function claimOfInput(input: string, name: string, compilerVersion: string): Claim {
  const isVyper = /"language"\s*:\s*"Vyper"/.test(input);
  return { contractname: name, compilerversion: compilerVersion, ...standard(input, isVyper) };
}

function standard(input: string, isVyper: boolean): Claim {
  return {
    codeformat: isVyper ? "vyper-json" : "solidity-standard-json-input",
    sourceCode: input,
  };
}

/** Returns the standard JSON input: Etherscan wraps it in braces, Blockscout splits it. Undefined for a single file. */
function standardInput(source: SourceRecord, isVyper: boolean): string | undefined {
  const { SourceCode: text, CompilerSettings: settings, AdditionalSources: others } = source;
  if (/^\s*\{\{/.test(text)) return text.trim().slice(1, -1);
  if (/^\s*\{/.test(text)) {
    return JSON.stringify({
      language: "Solidity",
      sources: JSON.parse(text),
      settings: readSettings(source),
    });
  }
  if (isVyper) return vyperInput(source);
  if (!settings && others.length === 0) return undefined;
  const main = source.FileName || source.ContractFileName || `${source.ContractName}.sol`;
  return JSON.stringify({
    language: "Solidity",
    sources: joinContents([{ Filename: main, SourceCode: text }, ...others]),
    settings: settings ?? readSettings(source),
  });
}

function joinContents(files: readonly z.output<typeof file>[]) {
  return Object.fromEntries(
    files.map(({ Filename, SourceCode }) => [Filename, { content: SourceCode }]),
  );
}

/** Returns Vyper's input. Before 0.4.0 imports are beside the sources, ABIs in every release. */
function vyperInput(source: SourceRecord): string {
  const { AdditionalSources: others, CompilerSettings: settings } = source;
  // Not a setting, but Blockscout's form has no other field for it.
  const { storage_layout_overrides: overrides, ...own } = settings ?? {};
  const main = source.FileName || source.ContractFileName || `${source.ContractName}.vy`;
  const isOld = /(?<![\d.])0\.[0-3]\.\d/.test(source.CompilerVersion);
  const abis = others.filter(({ Filename }) => Filename.endsWith(".json"));
  const files = others.filter((each) => !abis.includes(each));
  const interfaces = {
    ...joinContents(isOld ? files : []),
    ...Object.fromEntries(abis.map((each) => [each.Filename, JSON.parse(each.SourceCode)])),
  };
  const evmVersion = readEvmVersion(source);
  return JSON.stringify({
    language: "Vyper",
    sources: joinContents([
      { Filename: main, SourceCode: source.SourceCode },
      ...(isOld ? [] : files),
    ]),
    ...(Object.keys(interfaces).length > 0 && { interfaces }),
    ...(overrides !== undefined && { storage_layout_overrides: overrides }),
    settings: { ...(settings ? own : evmVersion && { evmVersion }) },
  });
}

function readSettings(source: SourceRecord) {
  const evmVersion = readEvmVersion(source);
  return {
    optimizer: { enabled: isOptimized(source), runs: readRuns(source) },
    ...(evmVersion && { evmVersion }),
  };
}

function flattened(source: SourceRecord): Claim {
  const libraries = [
    ...source.ExternalLibraries.map(({ name, address_hash }) => [name, address_hash] as const),
    ...(source.Library ?? "").split(";").flatMap((pair) => {
      const [name = "", address = ""] = pair.split(":");
      return name && address ? [[name, `0x${address.replace(/^0x/, "")}`] as const] : [];
    }),
  ].slice(0, 10);
  const evmVersion = readEvmVersion(source);
  return {
    codeformat: "solidity-single-file",
    sourceCode: source.SourceCode,
    contractname: source.ContractName,
    optimizationUsed: isOptimized(source) ? "1" : "0",
    runs: String(readRuns(source)),
    ...(evmVersion && { evmversion: evmVersion }),
    ...Object.fromEntries(
      libraries.flatMap(([name, address], index) => [
        [`libraryname${index + 1}`, name],
        [`libraryaddress${index + 1}`, address],
      ]),
    ),
  };
}

function isOptimized({ OptimizationUsed: used }: SourceRecord): boolean {
  return used === "1" || used === "true";
}

/** Returns the optimiser's runs. Without it a record may have 0, as Periscope's do; the compiler then uses, and records, its default. */
function readRuns(source: SourceRecord): number {
  const runs = Number(source.Runs || source.OptimizationRuns || COMPILERS_RUNS);
  return isOptimized(source) ? runs : runs || COMPILERS_RUNS;
}

function readEvmVersion({ EVMVersion: version }: SourceRecord): string | undefined {
  return version && !/^default$/i.test(version) ? version.toLowerCase() : undefined;
}
