import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import zlib from "node:zlib";
import { init, parse } from "es-module-lexer";
import type { FastifyReply, FastifyRequest } from "fastify";
import { acceptedEncodings, hasTag } from "../api/http/answer.ts";
import { keepResult } from "../core/async.ts";
import { SECURITY_HEADERS } from "./shell.ts";

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
 * `texts` are all modules by file. es-module-lexer must be initialised.
 */
function joinModules(texts: ReadonlyMap<string, string>): Map<string, string> {
  const modules = new Map([...texts].map(([file, text]) => [file, readModule(file, text)]));
  const imported = new Set(
    [...modules.values()].flatMap(({ imports }) => imports.map(({ file }) => file)),
  );
  const pages = [...modules.keys()].filter((file) => !imported.has(file));
  return new Map(pages.map((file) => [file, script(file, modules)]));
}

function script(page: string, modules: ReadonlyMap<string, Module>): string {
  const places = new Map<string, string>();
  const parts: string[] = [];

  /** Writes a module after its imports; returns its variable. */
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
function readModule(file: string, text: string): Module {
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
      file: fileOf(name, file),
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

/** A file in the form it is sent. */
type Asset = Awaited<ReturnType<typeof pack>>;

/** The files of the pages, all below one path that changes with their content. */
export type Assets = Awaited<ReturnType<typeof loadAssets>>;

const FOLDER = new URL("./browser/", import.meta.url);
/** Modules of packages by their import names; the others are imported for their effect only. */
const PACKAGES: Readonly<Record<string, string>> = {
  preact: "preact",
  "preact/hooks": "preact/hooks",
  htm: "htm",
  "prismjs/core": "prismjs/components/prism-core.min.js",
  "prismjs/clike": "prismjs/components/prism-clike.min.js",
  "prismjs/solidity": "prismjs/components/prism-solidity.min.js",
  "prismjs/python": "prismjs/components/prism-python.min.js",
};
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
};

/** The highest takes ten times as long, and delays the first page. */
const BROTLI_QUALITY = 9;

const brotli = promisify(zlib.brotliCompress);
const gzip = promisify(zlib.gzip);

/** Reads all files. The modules become scripts of pages, the styles one sheet for all pages. */
export async function loadAssets() {
  await init;
  const files = new Map<string, Buffer>();
  const modules = new Map<string, string>();
  for (const name of (await readdir(FOLDER, { recursive: true })).sort()) {
    if (path.extname(name) === "") continue;
    const bytes = await readFile(new URL(name, FOLDER));
    if (name.endsWith(".js")) modules.set(name, bytes.toString("utf8"));
    else files.set(path.basename(name), bytes);
  }
  for (const [name, specifier] of Object.entries(PACKAGES)) {
    modules.set(fileOf(name, ""), (await readPackageFile(specifier)).toString("utf8"));
  }
  for (const [name, text] of joinModules(modules)) files.set(name, Buffer.from(text));
  // The theme's variables come before the pages' own sheet.
  const styles = ["theme.css", "pages.css"].map((name) => files.get(name) ?? Buffer.of());
  files.set("pages.css", Buffer.concat(styles));
  const digest = createHash("sha256");
  for (const [name, bytes] of files) digest.update(`${name}\0${bytes.length}\0`).update(bytes);
  const packed = new Map(
    [...files].map(([name, bytes]) => [name, keepResult(() => pack(name, bytes))]),
  );
  return {
    /** Hash of the content of all files. */
    digest: digest.digest("base64url").slice(0, 16),
    /** Returns undefined for an unknown file. */
    get: async (name: string) => packed.get(name)?.(),
  };
}

function readPackageFile(specifier: string): Promise<Buffer> {
  return readFile(new URL(import.meta.resolve(specifier)));
}

/** Returns the file of an imported name: `preact/hooks` is `preact-hooks.js`, beside our own files. */
function fileOf(name: string, from: string): string {
  return name.startsWith(".")
    ? path.posix.join(path.posix.dirname(from), name)
    : `${name.replaceAll("/", "-")}.js`;
}

/** Reads one file: ours by relative path, a package's by its import name. */
export async function loadAsset(specifier: string): Promise<Asset> {
  return pack(specifier, await readPackageFile(specifier));
}

async function pack(name: string, bytes: Buffer) {
  const params = { [zlib.constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  return {
    contentType: CONTENT_TYPES[path.extname(name)] ?? "application/octet-stream",
    etag: `W/"${createHash("sha256").update(bytes).digest("base64url")}"`,
    bytes,
    brotli: await brotli(bytes, { params }),
    gzip: await gzip(bytes),
  };
}

/** Sends a file, compressed where the client accepts it; not its body when the client has it. */
export function sendAsset(
  request: FastifyRequest,
  reply: FastifyReply,
  { contentType, etag, bytes, brotli: best, gzip: second }: Asset,
  cacheControl: string,
): FastifyReply {
  const headers = { etag, "cache-control": cacheControl, vary: "accept-encoding" };
  reply.headers({ ...SECURITY_HEADERS, ...headers });
  if (hasTag(request, etag)) return reply.code(304).send();
  reply.header("content-type", contentType);
  const accepted = acceptedEncodings(request);
  if (accepted.has("br")) return reply.header("content-encoding", "br").send(best);
  if (accepted.has("gzip")) return reply.header("content-encoding", "gzip").send(second);
  return reply.send(bytes);
}
