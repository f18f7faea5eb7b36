import { keccak256, toRlp } from "../../core/deep-imports.ts";
import { type Hex, hexToBytes } from "../../core/evm/hex.ts";
import { quantity } from "../../core/evm/quantity.ts";
import { integer, rlp } from "./encoding.ts";

/** A node's RLP content: leaf, extension or branch. Nodes shorter than a hash are embedded in their parent. */
type Node = (Uint8Array | Node)[];

interface Item {
  /** Hex digits of the key. */
  path: string;
  value: Uint8Array;
}

const NOTHING = new Uint8Array();
const HASH_LENGTH = 32;

/** Returns the root of a list's Merkle Patricia trie, which maps the RLP of each index to its value (Yellow Paper, 4.3.2). */
export function orderedTrieRoot(values: readonly Hex[]): Hex {
  if (values.length === 0) return keccak256("0x80");
  const items = values.map((value, index) => ({
    path: rlp(integer(quantity(index), "index")).slice(2),
    value: hexToBytes(value),
  }));
  return keccak256(toRlp(build(items, 0), "bytes"));
}

/** Returns the node above items whose paths agree up to `depth`. No path is a prefix of another. */
function build(items: readonly Item[], depth: number): Node {
  const [first] = items as [Item];
  if (items.length === 1) return [compact(first.path.slice(depth), true), first.value];
  let end = depth;
  while (end < first.path.length && items.every(({ path }) => path[end] === first.path[end])) end++;
  const branch: Node = new Array(17).fill(NOTHING);
  for (const [digit, group] of Map.groupBy(items, ({ path }) => path[end])) {
    branch[Number.parseInt(digit as string, 16)] = reference(build(group, end + 1));
  }
  if (end === depth) return branch;
  return [compact(first.path.slice(depth, end), false), reference(branch)];
}

/** Returns a node as its parent holds it: its hash, or itself when shorter. */
function reference(node: Node): Uint8Array | Node {
  const encoded = toRlp(node, "bytes");
  return encoded.length < HASH_LENGTH ? node : keccak256(encoded, "bytes");
}

/** Encodes the path before a value or a branch (Yellow Paper, appendix C). */
function compact(digits: string, isLeaf: boolean): Buffer {
  const flag = isLeaf ? 2 : 0;
  return Buffer.from(digits.length % 2 === 0 ? `${flag}0${digits}` : `${flag + 1}${digits}`, "hex");
}
