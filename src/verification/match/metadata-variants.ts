import { isRecord } from "../../core/record.ts";
import { base58, ipfsHash, keccak, swarmHash } from "./content-hash.ts";
import type { MetadataHashKind } from "./metadata.ts";
import { TEXT_CHANGES } from "./text-variants.ts";

/** Changed sources of a compile, with which the metadata becomes that on chain. */
export interface SourceVariant {
  sources: Map<string, string>;
  /** The new path of a flattened source; null when the paths stay. */
  path: string | null;
}

/** Every variant is hashed, and that takes about a second for so many bytes. */
const MAX_BYTES = 2 * 1024 * 1024;

/**
 * Looks for the line ends, the end of file and (for a flattened source) the path with which the metadata text has the
 * hash on chain. Compiles nothing: it writes the metadata anew with the changed hashes and names. All sources of a
 * project are changed alike. Undefined when no variant fits.
 */
export function findSourceVariant(
  metadata: string,
  sources: ReadonlyMap<string, string>,
  possiblePaths: readonly string[],
  wanted: { kind: MetadataHashKind; value: Buffer },
): SourceVariant | undefined {
  const parsed = parseMetadata(metadata);
  const size = [...sources.values()].reduce((sum, text) => sum + text.length, 0);
  if (parsed === undefined || size > MAX_BYTES) return undefined;
  for (const variant of uniformVariants(sources)) {
    const described = describeSources(parsed, variant);
    for (const path of possiblePaths.length > 0 ? possiblePaths : [null]) {
      const text = JSON.stringify(path === null ? described : renameSource(described, path));
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

/** The metadata as an object; undefined when writing it again would give another text. */
function parseMetadata(text: string): Metadata | undefined {
  if (text === "") return undefined;
  const value: unknown = JSON.parse(text);
  if (!isRecord(value) || JSON.stringify(value) !== text) return undefined;
  const { settings, sources } = value;
  return isRecord(settings) && isRecord(sources) ? { ...value, settings, sources } : undefined;
}

/** The sources with every text changed in the same way, first not at all; each result once. */
function* uniformVariants(sources: ReadonlyMap<string, string>): Generator<Map<string, string>> {
  const seen: ReadonlyMap<string, string>[] = [];
  for (const change of TEXT_CHANGES) {
    const variant = new Map([...sources].map(([path, text]) => [path, change(text)]));
    const isKnown = seen.some((known) =>
      [...known].every(([path, text]) => variant.get(path) === text),
    );
    if (isKnown) continue;
    seen.push(variant);
    yield variant;
  }
}

function describeSources(metadata: Metadata, texts: ReadonlyMap<string, string>): Metadata {
  const sources = Object.entries(metadata.sources).map(([path, source]) => {
    const text = texts.get(path);
    return [path, isRecord(source) && text !== undefined ? describe(source, text) : source];
  });
  return { ...metadata, sources: Object.fromEntries(sources) };
}

/** The entry of one source, with its keys in their order. */
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
