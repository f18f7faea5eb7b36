import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import zlib from "node:zlib";
import { init, parse } from "es-module-lexer";
import { keepResult } from "../../core/async.ts";

/** A file as it is sent. */
export interface Asset {
  contentType: string;
  bytes: Buffer;
  /** The same bytes, compressed. */
  brotli: Buffer;
  gzip: Buffer;
}

/** The files of the pages, all below one path that changes with their content. */
export interface Assets {
  /** Hash of the content of all files. */
  digest: string;
  /** Undefined when there is no such file. */
  get(name: string): Promise<Asset | undefined>;
  /** A module and all its static imports, itself first. */
  importsOf(name: string): readonly string[];
}

const FOLDER = new URL("./browser/", import.meta.url);
/** Modules of packages by their import names; the others are imported for their effect only. */
const PACKAGES: Readonly<Record<string, string>> = {
  preact: "preact",
  "preact/hooks": "preact/hooks",
  htm: "htm",
  uplot: "uplot/dist/uPlot.esm.js",
  "prismjs/core": "prismjs/components/prism-core.min.js",
  "prismjs/clike": "prismjs/components/prism-clike.min.js",
  "prismjs/solidity": "prismjs/components/prism-solidity.min.js",
  "prismjs/python": "prismjs/components/prism-python.min.js",
};
const STYLES: Readonly<Record<string, string>> = { "uplot.css": "uplot/dist/uPlot.min.css" };
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

const brotli = promisify(zlib.brotliCompress);
const gzip = promisify(zlib.gzip);

/** Reads all files. In modules only the names of packages change, to names of files. */
export async function loadAssets(): Promise<Assets> {
  await init;
  const files = new Map<string, Buffer>();
  const imports = new Map<string, readonly string[]>();
  const add = (name: string, bytes: Buffer) => {
    if (!name.endsWith(".js")) return files.set(name, bytes);
    const module = linkModule(bytes.toString("utf8"));
    imports.set(name, module.imports);
    return files.set(name, Buffer.from(module.text));
  };
  for (const name of (await readdir(FOLDER)).sort()) {
    add(name, await readFile(new URL(name, FOLDER)));
  }
  for (const [name, specifier] of Object.entries(PACKAGES)) {
    add(fileOf(name), await readPackageFile(specifier));
  }
  for (const [name, specifier] of Object.entries(STYLES)) {
    add(name, await readPackageFile(specifier));
  }
  const packed = new Map(
    [...files].map(([name, bytes]) => [name, keepResult(() => pack(name, bytes))]),
  );
  return {
    digest: digestOf(files),
    get: async (name) => packed.get(name)?.(),
    importsOf: (name) => [...collect(name, imports)],
  };
}

function readPackageFile(specifier: string): Promise<Buffer> {
  return readFile(new URL(import.meta.resolve(specifier)));
}

/** `preact/hooks` is sent as `preact-hooks.js`, beside our own files. */
function fileOf(name: string): string {
  return `${name.replaceAll("/", "-")}.js`;
}

/** The text of a module with packages imported by their files, and its static imports. */
function linkModule(text: string): { text: string; imports: string[] } {
  const [found] = parse(text);
  const imports: string[] = [];
  let linked = "";
  let end = 0;
  for (const { n: name, s: from, e: to, d: kind } of found) {
    if (name === undefined) continue;
    const file = name.startsWith("./") ? name.slice(2) : fileOf(name);
    if (kind === -1) imports.push(file);
    // In a dynamic import the name stands with its quotes.
    const quoted = kind === -1 ? `./${file}` : JSON.stringify(`./${file}`);
    linked += text.slice(end, from) + quoted;
    end = to;
  }
  return { text: linked + text.slice(end), imports };
}

function collect(name: string, imports: ReadonlyMap<string, readonly string[]>): Set<string> {
  const all = new Set([name]);
  for (const file of all) for (const other of imports.get(file) ?? []) all.add(other);
  return all;
}

function digestOf(files: ReadonlyMap<string, Buffer>): string {
  const digest = createHash("sha256");
  for (const [name, bytes] of files) digest.update(`${name}\0${bytes.length}\0`).update(bytes);
  return digest.digest("base64url").slice(0, 16);
}

async function pack(name: string, bytes: Buffer): Promise<Asset> {
  const contentType = CONTENT_TYPES[path.extname(name)] ?? "application/octet-stream";
  return { contentType, bytes, brotli: await brotli(bytes), gzip: await gzip(bytes) };
}
