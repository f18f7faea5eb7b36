import { createHash } from "node:crypto";
import { keccak256 } from "viem/utils";

/** Returns keccak-256 of bytes. */
export function keccak(bytes: Uint8Array): Buffer {
  return Buffer.from(keccak256(bytes, "bytes"));
}

const IPFS_CHUNK = 262_144;
const SHA256_MULTIHASH = Buffer.from([0x12, 0x20]);

/** Returns the multihash of an IPFS file in chunks of 262,144 bytes, up to 45 MB. Source: the UnixFS and DAG-PB specifications. */
export function ipfsHash(bytes: Buffer): Buffer {
  if (bytes.length <= IPFS_CHUNK) return multihash(leaf(bytes));
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += IPFS_CHUNK)
    chunks.push(bytes.subarray(at, at + IPFS_CHUNK));
  const links = chunks.map((chunk) => {
    const node = leaf(chunk);
    return field(
      2,
      Buffer.concat([field(1, multihash(node)), field(2, Buffer.alloc(0)), number(3, node.length)]),
    );
  });
  const sizes = chunks.map((chunk) => number(4, chunk.length));
  const file = Buffer.concat([number(1, 2), number(3, bytes.length), ...sizes]);
  return multihash(Buffer.concat([...links, field(1, file)]));
}

function leaf(bytes: Buffer): Buffer {
  const data = bytes.length > 0 ? [field(2, bytes)] : [];
  return field(1, Buffer.concat([number(1, 2), ...data, number(3, bytes.length)]));
}

function multihash(node: Buffer): Buffer {
  return Buffer.concat([SHA256_MULTIHASH, createHash("sha256").update(node).digest()]);
}

/** Encodes Protocol Buffers: a field of bytes, and a field of a number. */
function field(tag: number, bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from([(tag << 3) | 2]), varint(bytes.length), bytes]);
}

function number(tag: number, value: number): Buffer {
  return Buffer.concat([Buffer.from([tag << 3]), varint(value)]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (; value > 127; value >>>= 7) bytes.push((value & 127) | 128);
  return Buffer.from([...bytes, value]);
}

const SWARM_CHUNK = 4096;
const SWARM_BRANCHES = SWARM_CHUNK / 32;

/** Returns the Swarm hash: `bzzr1` since 0.5.12, `bzzr0` before. Source: the Swarm specification, 4,096-byte chunks, 128 branches. */
export function swarmHash(bytes: Buffer, kind: "bzzr0" | "bzzr1"): Buffer {
  if (bytes.length === 0 && kind === "bzzr1") return Buffer.alloc(32);
  return swarmNode(bytes, kind, false);
}

function swarmNode(bytes: Buffer, kind: "bzzr0" | "bzzr1", split: boolean): Buffer {
  let content = bytes;
  if (bytes.length > SWARM_CHUNK || split) {
    let span = SWARM_CHUNK;
    while (span * SWARM_BRANCHES < bytes.length) span *= SWARM_BRANCHES;
    const hashes: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += span) {
      const part = bytes.subarray(at, at + span);
      // Beside larger parts, a last part of exactly one chunk gets one more level.
      const level = kind === "bzzr1" && span > SWARM_CHUNK && part.length === SWARM_CHUNK;
      hashes.push(swarmNode(part, kind, level));
    }
    content = Buffer.concat(hashes);
  }
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(bytes.length));
  const body = kind === "bzzr1" ? merkleRoot(Buffer.concat([content], SWARM_CHUNK)) : content;
  return keccak(Buffer.concat([size, body]));
}

function merkleRoot(bytes: Buffer): Buffer {
  if (bytes.length <= 64) return keccak(bytes);
  const middle = bytes.length / 2;
  return keccak(
    Buffer.concat([merkleRoot(bytes.subarray(0, middle)), merkleRoot(bytes.subarray(middle))]),
  );
}

const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/** Returns base-58 text of the bytes (Bitcoin's alphabet); of a multihash it is the identifier of an IPFS file (CIDv0). */
export function base58(bytes: Buffer): string {
  let value = BigInt(`0x00${bytes.toString("hex")}`);
  let text = "";
  for (; value > 0n; value /= 58n) text = (BASE58[Number(value % 58n)] ?? "") + text;
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return BASE58.charAt(0).repeat(zeros < 0 ? bytes.length : zeros) + text;
}
