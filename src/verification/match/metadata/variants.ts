import { isRecord } from "../../../core/json/record.ts";
import { base58, ipfsHash, keccak, swarmHash } from "./content-hash.ts";
import type { MetadataHashKind } from "./metadata.ts";

type Change = (text: string) => string;

/** Line ends: each rewrites a text, and returns the result's newline. */
const LINE_ENDS: readonly { apply: Change; newline: (text: string) => string }[] = [
  { apply: unchanged, newline: (text) => (text.includes("\r\n") ? "\r\n" : "\n") },
  { apply: toUnix, newline: () => "\n" },
  { apply: (text) => toUnix(text).replace(/\n/g, "\r\n"), newline: () => "\r\n" },
];

/** Ends of a text; the first changes nothing. */
const TEXT_ENDS: readonly ((text: string, newline: string) => string)[] = [
  unchanged,
  withoutFinalLineEnds,
  (text, newline) => withoutFinalLineEnds(text) + newline,
  (text, newline) => withoutFinalLineEnds(text) + newline.repeat(2),
  (text) => `${text} `,
];

/** Changes that editors, version control and web forms make to a text, one list for each line end. */
const CHANGES: readonly (readonly Change[])[] = LINE_ENDS.map(({ apply, newline }) =>
  TEXT_ENDS.map((end) => (text) => end(apply(text), newline(text))),
);

/** The changes of all lists; the first changes nothing. */
export const TEXT_CHANGES: readonly Change[] = CHANGES.flat();

type Texts = Map<string, string>;

/** Most characters: hashing every variant takes about a second. */
export const MAX_CHARACTERS = 2 * 1024 * 1024;

/** Yields texts with other line ends, all alike first, then per folder; up to two million characters. */
export function* textVariants(texts: ReadonlyMap<string, string>, mainPath: string) {
  const size = [...texts.values()].reduce((sum, text) => sum + text.length, 0);
  if (size > MAX_CHARACTERS) return;
  const seen: Texts[] = [];
  const isOwn = ownFiles([...texts.keys()], mainPath);
  const attempts = [
    ...CHANGES.map((changes) => ({ changes, isChanged: () => true })),
    ...CHANGES.slice(1).flatMap(([lines = unchanged]) => [
      { changes: [lines], isChanged: isOwn },
      { changes: [lines], isChanged: (path: string) => !isOwn(path) },
    ]),
  ];
  for (const { changes, isChanged } of attempts) {
    const all = changes.map(
      (change) =>
        new Map([...texts].map(([path, text]) => [path, isChanged(path) ? change(text) : text])),
    );
    const [lines = new Map<string, string>()] = all;
    const variants = all.filter((variant) => {
      const isKnown = seen.some((known) =>
        [...known].every(([path, text]) => variant.get(path) === text),
      );
      if (!isKnown) seen.push(variant);
      return !isKnown;
    });
    yield { lines, variants };
  }
}

/** Returns a test for the files of the main one's folder, the first in which paths differ: `src` beside `lib`. */
function ownFiles(paths: readonly string[], mainPath: string): (path: string) => boolean {
  const main = mainPath.split("/");
  const folders = paths.map((path) => path.split("/"));
  const depth = main.findIndex((name, index) => folders.some((folder) => folder[index] !== name));
  return (path) => path.split("/")[depth] === main[depth];
}

function unchanged(text: string): string {
  return text;
}

function toUnix(text: string): string {
  return text.replace(/\r\n/g, "\n");
}

/** Removes line ends at the end. A loop: the obvious regular expression takes quadratic time on a text full of line ends. */
function withoutFinalLineEnds(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === "\n" || text[end - 1] === "\r")) end--;
  return text.slice(0, end);
}

/** Changed sources of a compile whose metadata is that on chain. */
export interface SourceVariant {
  sources: Map<string, string>;
  /** The new path of a flattened source; null when the paths stay. */
  path: string | null;
}

/** Finds the variant of sources and path whose metadata has the hash on chain, without compiling; undefined when none fits. */
export function findSourceVariant(
  metadata: string,
  variants: readonly Map<string, string>[],
  possiblePaths: readonly string[],
  wanted: { kind: MetadataHashKind; value: Buffer },
): SourceVariant | undefined {
  const parsed = parseMetadata(metadata);
  if (parsed === undefined) return undefined;
  for (const variant of variants) {
    const described = describeSources(parsed.metadata, variant);
    for (const path of possiblePaths.length > 0 ? possiblePaths : [null]) {
      const text = parsed.write(path === null ? described : renameSource(described, path));
      const bytes = Buffer.from(text, "utf8");
      const hash = wanted.kind === "ipfs" ? ipfsHash(bytes) : swarmHash(bytes, wanted.kind);
      if (!hash.equals(wanted.value)) continue;
      const [only] = variant.values();
      return { sources: path === null ? variant : new Map([[path, only ?? ""]]), path };
    }
  }
  return undefined;
}

interface Metadata extends Record<string, unknown> {
  settings: Record<string, unknown>;
  sources: Record<string, unknown>;
}

type Write = (value: unknown) => string;

/** Old compilers keep characters beyond ASCII, later ones escape them, the latest DEL too. */
const WRITERS = [/(?!)/g, /[\u0080-\uffff]/g, /[\u007f-\uffff]/g].map(
  (escaped): Write =>
    (value) =>
      JSON.stringify(value).replace(escaped, escapeCharacter),
);

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Parses the metadata with its writer; undefined when that would produce another text. */
function parseMetadata(text: string): { metadata: Metadata; write: Write } | undefined {
  if (text === "") return undefined;
  const value: unknown = JSON.parse(text);
  const write = WRITERS.find((writer) => writer(value) === text);
  if (!isRecord(value) || write === undefined) return undefined;
  const { settings, sources } = value;
  return isRecord(settings) && isRecord(sources)
    ? { metadata: { ...value, settings, sources }, write }
    : undefined;
}

function describeSources(metadata: Metadata, texts: ReadonlyMap<string, string>): Metadata {
  const sources = Object.entries(metadata.sources).map(([path, source]) => {
    const text = texts.get(path);
    return [path, isRecord(source) && text !== undefined ? describe(source, text) : source];
  });
  return { ...metadata, sources: Object.fromEntries(sources) };
}

/** Returns the entry of one source, with its keys in their order. */
function describe(source: Record<string, unknown>, text: string): Record<string, unknown> {
  const bytes = Buffer.from(text, "utf8");
  const { urls } = source;
  return {
    ...source,
    keccak256: `0x${keccak(bytes).toString("hex")}`,
    ...("content" in source && { content: text }),
    ...(Array.isArray(urls) && { urls: urls.map((url) => urlOf(String(url), bytes)) }),
  };
}

function urlOf(url: string, bytes: Buffer): string {
  if (url.startsWith("bzz-raw://")) return `bzz-raw://${swarmHash(bytes, "bzzr1").toString("hex")}`;
  if (url.startsWith("bzzr://")) return `bzzr://${swarmHash(bytes, "bzzr0").toString("hex")}`;
  return `dweb:/ipfs/${base58(ipfsHash(bytes))}`;
}

function renameSource(metadata: Metadata, path: string): Metadata {
  const { settings } = metadata;
  const target = isRecord(settings["compilationTarget"]) ? settings["compilationTarget"] : {};
  const rename = (record: Record<string, unknown>) =>
    Object.fromEntries(Object.values(record).map((value) => [path, value]));
  return {
    ...metadata,
    settings: { ...settings, compilationTarget: rename(target) },
    sources: rename(metadata.sources),
  };
}
