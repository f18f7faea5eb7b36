import { type CborValue, decodeCbor } from "./cbor.ts";

export type MetadataHashKind = "ipfs" | "bzzr0" | "bzzr1";

/** solc's metadata after the code: the hash of the metadata text and the compiler's version. */
export interface CodeMetadata {
  /** Null with `bytecodeHash: "none"`. `value` is the multihash of ipfs (34 bytes) or the Swarm hash (32 bytes). */
  hash: { kind: MetadataHashKind; value: Buffer } | null;
  /** `0.8.20`, or the long version of a pre-release. Null in code older than 0.5.9. */
  solc: string | null;
  /** The CBOR and the two bytes of its length. */
  bytes: Buffer;
}

const HASH_KINDS = ["ipfs", "bzzr1", "bzzr0"] as const;
const KEYS = new Set<string>([...HASH_KINDS, "solc", "experimental"]);
/** SHA-256 of 32 bytes, the only multihash that solc writes. */
const MULTIHASH = Buffer.from("1220", "hex");
const HASH_BYTES = 32;
/** The long version of a pre-release. */
const VERSION_TEXT = /^\d{1,3}\.\d{1,3}\.\d{1,3}[\w.+-]{0,90}$/;

/** Returns the metadata at the very end of `code`; null when it does not end in solc's metadata. */
export function readCodeMetadata(code: Buffer): CodeMetadata | null {
  const end = code.length - 2;
  if (end < 1) return null;
  return parseCodeMetadata(code.subarray(end - code.readUInt16BE(end)));
}

/** Parses metadata with its length bytes; null for other bytes. An author can choose only the hash and the version. */
export function parseCodeMetadata(bytes: Buffer): CodeMetadata | null {
  if (bytes.length < 3 || bytes.readUInt16BE(bytes.length - 2) !== bytes.length - 2) return null;
  const map = decodeCbor(bytes.subarray(0, -2));
  if (!(map instanceof Map)) return null;
  for (const key of map.keys()) if (!KEYS.has(key)) return null;
  const [kind, second] = HASH_KINDS.filter((name) => map.has(name));
  const hash = (kind && hashOf(kind, map.get(kind))) ?? null;
  const solc = map.has("solc") ? versionOf(map.get("solc")) : null;
  const isWhole =
    second === undefined &&
    (kind === undefined || hash !== null) &&
    (hash !== null || solc !== null) &&
    map.has("solc") === (solc !== null) &&
    (!map.has("experimental") || map.get("experimental") === true);
  return isWhole ? { hash, solc, bytes } : null;
}

/** Returns whether metadata may replace the compiled one: the same compiler, or both of a pre-release. */
export function isSameCompiler(there: CodeMetadata | null, compiled: Buffer): boolean {
  const own = parseCodeMetadata(compiled)?.solc;
  const isText = (version: string | null | undefined) => version?.includes("-") === true;
  return there !== null && (there.solc === own || (isText(there.solc) && isText(own)));
}

function hashOf(kind: MetadataHashKind, value: CborValue | undefined): CodeMetadata["hash"] {
  if (!Buffer.isBuffer(value)) return null;
  const prefix = kind === "ipfs" ? MULTIHASH : Buffer.alloc(0);
  const isHash =
    value.length === prefix.length + HASH_BYTES && value.subarray(0, prefix.length).equals(prefix);
  return isHash ? { kind, value } : null;
}

function versionOf(value: CborValue | undefined): string | null {
  if (Buffer.isBuffer(value)) return value.length === 3 ? [...value].join(".") : null;
  return typeof value === "string" && VERSION_TEXT.test(value) ? value : null;
}

/** The metadata of vyper since 0.3.10 after the creation code. */
export interface VyperMetadata {
  /** `0.4.3`. */
  version: string;
  /** Hash over all sources, since 0.4.1. */
  integrity: Buffer | null;
  /** Total size of the immutables behind the deployed code. */
  immutableBytes: number;
  /** Its offset in the code it was read from. */
  offset: number;
}

/** Returns the metadata at the end of vyper's creation code (without constructor arguments); null when there is none. */
export function readVyperMetadata(creationCode: Buffer): VyperMetadata | null {
  const end = creationCode.length - 2;
  if (end < 1) return null;
  // Since 0.3.10 the length counts its own two bytes.
  const offset = creationCode.length - creationCode.readUInt16BE(end);
  if (offset < 0) return null;
  const list = decodeCbor(creationCode.subarray(offset, end));
  if (!Array.isArray(list)) return null;
  const [versions, immutableBytes] = [list.at(-1), list.at(-2)];
  const version = versions instanceof Map ? versions.get("vyper") : undefined;
  if (!Array.isArray(version) || typeof immutableBytes !== "number") return null;
  const integrity = list[0];
  return {
    version: version.map(String).join("."),
    integrity: Buffer.isBuffer(integrity) ? integrity : null,
    immutableBytes,
    offset,
  };
}

const VYPER_VERSION = Buffer.from("a165767970657283", "hex");

/** Returns versions in vyper's creation code, in order. They may be planted or of other contracts, so they can only refuse a match. */
export function findVyperVersions(code: Buffer): string[] {
  const found: string[] = [];
  const last = code.length - VYPER_VERSION.length - 3;
  for (let at = code.indexOf(VYPER_VERSION); at >= 0; at = code.indexOf(VYPER_VERSION, at + 1)) {
    const start = at + VYPER_VERSION.length;
    if (at <= last) found.push([...code.subarray(start, start + 3)].join("."));
  }
  return found;
}
