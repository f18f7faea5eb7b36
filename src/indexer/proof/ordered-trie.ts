import { BranchMPTNode, ExtensionMPTNode, LeafMPTNode } from "@ethereumjs/mpt";
import { keccak256, toRlp } from "viem";
import { type Hex, hexFromBytes, hexToBytes } from "../../core/hex.ts";

type Node = BranchMPTNode | ExtensionMPTNode | LeafMPTNode;
type Reference = Parameters<BranchMPTNode["setBranch"]>[1];

interface Item {
  /** Nibbles of the key. */
  path: number[];
  value: Uint8Array;
}

/**
 * The root of the Merkle Patricia trie of a list, which maps the RLP of each index to its value (Yellow Paper, 4.3.2).
 * Each node is made once, from the leaves up. The library would hash a whole path for each value.
 */
export function orderedTrieRoot(values: readonly Hex[]): Hex {
  if (values.length === 0) return keccak256("0x80");
  const items = values.map((value, index) => ({
    path: nibblesOf(toRlp(integer(index))),
    value: hexToBytes(value),
  }));
  return keccak256(build(items, 0).serialize());
}

/** The node above items whose paths agree up to `depth`. No path is the beginning of another. */
function build(items: readonly Item[], depth: number): Node {
  const [first] = items as [Item];
  if (items.length === 1) return new LeafMPTNode(first.path.slice(depth), first.value);
  let end = depth;
  while (end < first.path.length && items.every(({ path }) => path[end] === first.path[end])) end++;
  const branch = new BranchMPTNode();
  for (const [nibble, group] of Map.groupBy(items, ({ path }) => path[end] as number)) {
    branch.setBranch(nibble, reference(build(group, end + 1)));
  }
  if (end === depth) return branch;
  return new ExtensionMPTNode(first.path.slice(depth, end), reference(branch) as Uint8Array);
}

/** A node as its parent holds it: its hash, or itself when that is shorter. */
function reference(node: Node): Reference {
  const serialized = node.serialize();
  return serialized.length < 32 ? (node.raw() as Reference) : keccak256(serialized, "bytes");
}

function nibblesOf(key: Hex): number[] {
  return [...key.slice(2)].map((digit) => Number.parseInt(digit, 16));
}

function integer(value: number): Hex {
  const digits = value === 0 ? "" : value.toString(16);
  return hexFromBytes(
    Buffer.from(digits.padStart(digits.length + (digits.length % 2), "0"), "hex"),
  );
}
