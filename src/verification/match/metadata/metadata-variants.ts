import { isRecord } from "../../../core/json/record.ts";
import { base58, ipfsHash, keccak, swarmHash } from "./content-hash.ts";
import type { MetadataHashKind } from "./metadata.ts";

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
      if (!hashOf(text, wanted.kind).equals(wanted.value)) continue;
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

function hashOf(text: string, kind: MetadataHashKind): Buffer {
  const bytes = Buffer.from(text, "utf8");
  return kind === "ipfs" ? ipfsHash(bytes) : swarmHash(bytes, kind);
}
