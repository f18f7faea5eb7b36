import { isAddress } from "../../core/evm/address.ts";
import { hexToBytes } from "../../core/evm/hex.ts";
import { isRecord } from "../../core/json/record.ts";
import type { SourceFile } from "../../store/contracts/verified/verified-contract.ts";
import type {
  CompilerInput,
  CompilerLanguage,
  FurtherInput,
  Settings,
} from "../compilers/input.ts";
import { refuse } from "../inputs/compiler-input.ts";
import { interfaceFiles } from "../inputs/standard-json.ts";

/** Returns the files in solc's metadata of a contract: its own, and all its imports. Undefined without metadata. */
export function filesIn(metadata: string): ReadonlySet<string> | undefined {
  const sources = readPart(metadata, "sources");
  return sources && new Set(Object.keys(sources));
}

/** Returns the settings in the metadata: old compilers ignore unknown ones. None without metadata. */
export function settingsIn(metadata: string): Settings {
  return readPart(metadata, "settings") ?? {};
}

function readPart(metadata: string, key: string): Settings | undefined {
  const parsed: unknown = metadata === "" ? null : JSON.parse(metadata);
  const part = isRecord(parsed) ? parsed[key] : undefined;
  return isRecord(part) ? part : undefined;
}

/** Returns library addresses of the settings, by `path:Name` or, up to 0.7.4, `Name`, where metadata has none; the last counts. */
export function givenAddresses({ libraries }: Settings, taken: Settings): Settings {
  const linked = taken["libraries"];
  if (isRecord(linked) && Object.keys(linked).length > 0) return linked;
  const files = Object.entries(isRecord(libraries) ? libraries : {});
  return Object.fromEntries(
    files.flatMap(([file, names]) =>
      Object.entries(isRecord(names) ? names : {}).flatMap(([name, address]) => [
        [name, address],
        [`${file}:${name}`, address],
      ]),
    ),
  );
}

/** Returns the same addresses, each once. */
export function linkedAddresses(settings: Settings, metadata: string): Buffer[] {
  const given = Object.values(givenAddresses(settings, settingsIn(metadata)));
  return [...new Set(given)].filter(isAddress).map(hexToBytes);
}

/**
 * Returns the contract's files as sent: those in the metadata, without it those that the main file may import; `further` are other
 * keys of the input. Throws `VerificationError` of code `invalid-json` for a misplaced file.
 */
export function keptSources(
  { language, sources, rest }: CompilerInput,
  mainPath: string,
  metadata: string,
): { sources: SourceFile[]; further: FurtherInput } {
  const named = language === "Solidity" ? filesIn(metadata) : undefined;
  const interfaces = interfaceFiles(rest["interfaces"]);
  const texts = new Map([...interfaces.map(({ path, text }) => [path, text] as const), ...sources]);
  const kept = named ?? importedFrom(mainPath, language, texts);
  const placed = new Map<string, string>();
  for (const [path, text] of texts) {
    if (!kept.has(path)) continue;
    const place = placeOf(path);
    if (place === undefined)
      refuse(`The path ${path} leads out of the project, and to no source file.`);
    if ((placed.get(place) ?? text) !== text) refuse(`${place} occurs twice.`);
    placed.set(place, text);
  }
  const further = Object.entries(rest).map(([key, values]) => {
    // Vyper applies layout overrides only to the compiled file.
    const belonging = Object.entries(values).filter(([path]) =>
      key === "interfaces" ? kept.has(path) : path === mainPath,
    );
    return [key, Object.fromEntries(belonging)] as const;
  });
  return {
    sources: [...sources].flatMap(([path, text]) => (kept.has(path) ? [{ path, text }] : [])),
    further: Object.fromEntries(further.filter(([, values]) => Object.keys(values).length > 0)),
  };
}

const OUTSIDE = /^(?:[a-z]:|(?:\.[\\/])*(?:\.\.)?[\\/])/i;
/** Root prefix of a path: nothing, for a path that begins with `/`, or a drive. */
const ROOT = /^(?:[a-z]:.*)?$/i;
/** Writing such a file to its path overwrites only a source. */
const SOURCE_FILE = /\.(?:sol|vyi?)$/;

/**
 * Returns the file at a path relative to a project folder, by its name alone: equal texts may have
 * different characters. Build tools use absolute paths (Truffle) or `..` (Foundry in a workspace,
 * which may have another version of a package than the project) for files outside, and remappings
 * pass through folders. Undefined for other files outside the folder, and for paths that leave it
 * after a name.
 */
function placeOf(path: string): string | undefined {
  const names = path.normalize("NFKC").split(/[\\/]/);
  const steps = names
    .map((name) => name.trim())
    .filter((name, index) => name !== "." && (name !== "" || index === 0));
  const place: string[] = [];
  let fixed = 0;
  let isBehindName = false;
  for (const step of steps) {
    if (step === ".." && isBehindName) {
      if (place.length === fixed) return undefined;
      place.pop();
      continue;
    }
    if (step === ".." || (!isBehindName && ROOT.test(step))) fixed++;
    isBehindName ||= step !== "..";
    place.push(step);
  }
  return OUTSIDE.test(path) && !SOURCE_FILE.test(path) ? undefined : place.join("/");
}

/** The group is a string, which may look like a comment. */
const SOLIDITY_COMMENT =
  /\/\*[\s\S]*?(?:\*\/|$)|\/\/[^\n]*|("(?:[^"\\\n]|\\[\s\S])*"?|'(?:[^'\\\n]|\\[\s\S])*'?)/g;
/** Without its group where the path is escaped, in hex, or far behind. */
const SOLIDITY_IMPORT = /\bimport\b(?:[^;"']{0,1000}(?<!\bhex)["']([^"'\\\n]{1,1000})["'])?/g;
/** As in Python: multi-line texts, and lines that end in a carriage return alone. */
const VYPER_COMMENT_OR_TEXT =
  /#[^\r\n]*|("""|''')(?:\\[\s\S]|[^\\])*?(?:\1|$)|"(?:[^"\\\r\n]|\\(?:\r\n|[\s\S]))*"?|'(?:[^'\\\r\n]|\\(?:\r\n|[\s\S]))*'?/g;
/** At the beginning of a line, after lists in parentheses are on one line and blanks are single. */
const VYPER_IMPORT = /^[ \ufeff]*(?:from([^\r\n]*?)(?<=[ .]))?import(?=[ (])([^\r\n]*)/gm;
const VYPER_BUILT_IN = /^(?:vyper\.interfaces|ethereum\.ercs)\./;

/** Returns a file and all that it may import, by ends of paths: too many rather than too few. */
function importedFrom(
  mainPath: string,
  language: CompilerLanguage,
  texts: ReadonlyMap<string, string>,
): ReadonlySet<string> {
  const importsIn = language === "Vyper" ? vyperImports : solidityImports;
  const byEnd = Map.groupBy(
    [...texts.keys()].flatMap((path) => listPathEnds(path).map((end) => ({ path, end }))),
    ({ end }) => end,
  );
  const reached = new Set([mainPath]);
  for (const path of reached) {
    for (const end of importsIn(texts.get(path) ?? "") ?? byEnd.keys()) {
      for (const found of byEnd.get(end) ?? []) reached.add(found.path);
    }
  }
  return reached;
}

/** Returns the names of imported files, without folders; undefined when a statement's name is unclear. */
function solidityImports(text: string): string[] | undefined {
  const code = text.replace(SOLIDITY_COMMENT, (_comment, quoted) => quoted ?? " ");
  const paths = [...code.matchAll(SOLIDITY_IMPORT)].map(([, path]) => path);
  if (paths.includes(undefined)) return undefined;
  return paths.map((path = "") => listPathEnds(path)[0] ?? "");
}

/** Returns the pragmas in a Vyper file's comments, by key. Parsed like Vyper's pre-parser. */
export function vyperPragmas(text: string): ReadonlyMap<string, string> {
  const pragmas = new Map<string, string>();
  for (const [comment] of text.matchAll(VYPER_COMMENT_OR_TEXT)) {
    if (!comment.startsWith("#")) continue;
    const content = stripped(comment.slice(1));
    if (!content.startsWith("pragma ")) continue;
    const pragma = stripped(content.slice("pragma ".length));
    const end = pragma.indexOf(" ");
    if (end >= 0) pragmas.set(pragma.slice(0, end), stripped(pragma.slice(end)));
  }
  return pragmas;
}

/** Trims like Python's `strip`: it removes blanks that JavaScript keeps, and keeps a byte order mark. */
function stripped(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isPythonBlank(text.charCodeAt(start))) start++;
  while (end > start && isPythonBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

function isPythonBlank(code: number): boolean {
  const isSeparator = (code >= 0x1c && code <= 0x1f) || code === 0x85;
  return isSeparator || /[^\S\ufeff]/.test(String.fromCharCode(code));
}

/** Returns `lib/helper` for `from .lib import helper`. Python normalises names, and allows blanks around their dots. */
function vyperImports(text: string): string[] {
  const code = text
    .replace(VYPER_COMMENT_OR_TEXT, " ")
    .replaceAll(/\\(?:\r\n|[\r\n])/g, " ")
    .normalize("NFKC")
    .replaceAll(/\([^()]*\)/g, (list) => list.replaceAll(/\s+/g, " "))
    .replaceAll(/[ \t\f]+/g, " ");
  return [...code.matchAll(VYPER_IMPORT)].flatMap(([, from, names = ""]) =>
    names.split(",").flatMap((part) => {
      const [name = ""] = part.replaceAll(/[()]/g, " ").trim().split(" as ");
      const module = (from === undefined ? name : `${from}.${name}`).replaceAll(" ", "");
      return VYPER_BUILT_IN.test(module) ? [] : [module.split(".").filter(Boolean).join("/")];
    }),
  );
}

/** Returns `helper`, `lib/helper` and `src/lib/helper` for `src/lib/helper.vy`. */
function listPathEnds(path: string): string[] {
  const parts = path.replace(/\.(?:sol|vyi?|json)$/, "").split("/");
  return parts.map((_, index) => parts.slice(-1 - index).join("/"));
}
