import type { CompilerLanguage } from "../compilers/input.ts";

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
export function importedFrom(
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
