import type { CompilerLanguage } from "../inputs/compiler-input.ts";

/** Comments and texts of several lines. The second group is a string, which may look like one of them. */
const COMMENT =
  /("""|''')[\s\S]*?(?:\1|$)|\/\*[\s\S]*?(?:\*\/|$)|("(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?)|(?:\/\/|#)[^\n]*/g;
const SOLIDITY_IMPORT = /\bimport\b[^;"']{0,1000}["']([^"'\n]{1,1000})["']/g;
/** A statement imports one module. */
const VYPER_IMPORT = /^(?:from[ \t]+([\w.]+)[ \t]+)?import[\s(]{1,1000}([\w.]+)/gm;
const VYPER_BUILT_IN = /^(?:vyper\.interfaces|ethereum\.ercs)\./;

/**
 * The file and all that it may import. Files are found by the ends of their paths: perhaps too many, never too few.
 */
export function importedFrom(
  mainPath: string,
  language: CompilerLanguage,
  texts: ReadonlyMap<string, string>,
): ReadonlySet<string> {
  const importsIn = language === "Vyper" ? vyperImports : solidityImports;
  const byEnd = Map.groupBy(
    [...texts.keys()].flatMap((path) => endsOf(path).map((end) => ({ path, end }))),
    ({ end }) => end,
  );
  const reached = new Set([mainPath]);
  for (const path of reached) {
    const code = (texts.get(path) ?? "").replace(COMMENT, (_comment, _mark, text) => text ?? " ");
    for (const end of importsIn(code)) {
      for (const found of byEnd.get(end) ?? []) reached.add(found.path);
    }
  }
  return reached;
}

/** Names of imported files, whatever their folders. */
function solidityImports(code: string): string[] {
  return [...code.matchAll(SOLIDITY_IMPORT)].map(([, path = ""]) => endsOf(path)[0] ?? "");
}

/** `lib/helper` for `from .lib import helper`. */
function vyperImports(code: string): string[] {
  return [...code.replaceAll(/\\\r?\n/g, " ").matchAll(VYPER_IMPORT)].flatMap(
    ([, from, name = ""]) => {
      const module = from === undefined ? name : `${from}.${name}`;
      return VYPER_BUILT_IN.test(module) ? [] : [module.split(".").filter(Boolean).join("/")];
    },
  );
}

/** `helper`, `lib/helper` and `src/lib/helper` for `src/lib/helper.vy`. */
function endsOf(path: string): string[] {
  const parts = path.replace(/\.(?:sol|vyi?|json)$/, "").split("/");
  return parts.map((_, index) => parts.slice(-1 - index).join("/"));
}
