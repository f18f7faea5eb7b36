import { parse } from "es-module-lexer";

/** A module without its imports and exports. */
interface Module {
  body: string;
  /** Its imports as patterns of a destructuring; empty where only the effect is wanted. */
  imports: { file: string; pattern: string }[];
  /** The members of its module object. */
  exports: string[];
}

/**
 * Returns the scripts of pages: each module that no other one imports, after all its dependencies,
 * so that a browser loads one file instead of twenty. Each module keeps its own scope and text.
 * `texts` are all modules by file, `fileOf` returns the file of an imported name. es-module-lexer
 * must be initialised.
 */
export function joinModules(
  texts: ReadonlyMap<string, string>,
  fileOf: (name: string) => string,
): Map<string, string> {
  const modules = new Map(
    [...texts].map(([file, text]) => [file, readModule(file, text, fileOf)] as const),
  );
  const imported = new Set([...modules.values()].flatMap(({ imports }) => imports.map(fileIn)));
  const pages = [...modules.keys()].filter((file) => !imported.has(file));
  return new Map(pages.map((file) => [file, script(file, modules)]));
}

function fileIn({ file }: Module["imports"][number]): string {
  return file;
}

function script(page: string, modules: ReadonlyMap<string, Module>): string {
  const places = new Map<string, string>();
  const parts: string[] = [];

  /** Returns the variable of a module, which is written after its imports. */
  function place(file: string): string {
    const known = places.get(file);
    if (known !== undefined) return known;
    const module = modules.get(file);
    if (!module) throw new TypeError(`a page imports ${file}, which is not there`);
    const needed = module.imports.map((one) => ({ ...one, from: place(one.file) }));
    const name = `$module${places.size}`;
    places.set(file, name);
    const imports = needed
      .filter(({ pattern }) => pattern !== "")
      .map(({ pattern, from }) => `const ${pattern} = ${from};\n`);
    parts.push(
      `// ${file}\nconst ${name} = (() => {\n${imports.join("")}${module.body}\nreturn { ${module.exports.join(", ")} };\n})();\n`,
    );
    return name;
  }

  place(page);
  return parts.join("\n");
}

/** Removes imports and exports. Supports only the forms that occur here; the pages' tests would fail with others. */
function readModule(file: string, text: string, fileOf: (name: string) => string): Module {
  const [imports, exports] = parse(text);
  if (imports.some(({ d: kind }) => kind !== -1)) {
    throw new TypeError(`${file}: only static imports can be joined`);
  }
  const cuts = imports.map(({ ss: from, se: to }) => ({ from, to, instead: "" }));
  for (const keyword of new Set(exports.map(({ s }) => text.lastIndexOf("export", s - 1)))) {
    const [found = "", list, byDefault] =
      /^export\s*(?:(\{[^}]*\})|(default\s)|)/.exec(text.slice(keyword)) ?? [];
    const instead = list === undefined && byDefault !== undefined ? "const $default = " : "";
    cuts.push({ from: keyword, to: keyword + found.length, instead });
  }
  let body = "";
  let end = 0;
  for (const { from, to, instead } of cuts.sort((one, other) => one.from - other.from)) {
    body += text.slice(end, from) + instead;
    end = to;
  }
  return {
    body: body + text.slice(end),
    imports: imports.map(({ n: name = "", ss: from, s: to }) => ({
      file: fileOf(name),
      pattern: patternOf(text.slice(from, to)),
    })),
    exports: exports.map(({ n: name, ln: local = "$default" }) => `${name}: ${local}`),
  };
}

/** Converts `import { a as b } from "` to `{ a: b }`, `import a from "` to `{ default: a }`. */
function patternOf(statement: string): string {
  const clause = /^import\s*(\{[^}]*\}|[\w$]*)/.exec(statement)?.[1] ?? "";
  if (clause.startsWith("{")) return clause.replaceAll(/\s+as\s+/g, ": ");
  return clause === "" ? "" : `{ default: ${clause} }`;
}
