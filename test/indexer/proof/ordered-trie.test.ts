import { MerklePatriciaTrie } from "@ethereumjs/mpt";
import fc from "fast-check";
import { toRlp } from "viem";
import { expect, it } from "vitest";
import { type Hex, hexFromBytes, hexToBytes } from "../../../src/core/evm/hex.ts";
import { orderedTrieRoot } from "../../../src/indexer/proof/ordered-trie.ts";

/** The root as the library makes it of values put one after the other. */
async function rootByPuts(values: readonly Hex[]): Promise<Hex> {
  const trie = new MerklePatriciaTrie();
  for (const [index, value] of values.entries()) {
    const digits = index === 0 ? "" : index.toString(16);
    const key = toRlp(`0x${digits.padStart(digits.length + (digits.length % 2), "0")}`, "bytes");
    await trie.put(key, hexToBytes(value));
  }
  return hexFromBytes(trie.root());
}

it.each([0, 1, 2, 16, 17, 127, 128, 129, 255, 256, 257, 300])(
  "the trie of %i values has the root that the library gives",
  async (count) => {
    const values = Array.from({ length: count }, (_, index): Hex => `0x${"ab".repeat(index + 1)}`);
    expect(orderedTrieRoot(values)).toBe(await rootByPuts(values));
  },
);

it("so has one of short values, whose nodes stand within others", async () => {
  const value = fc.uint8Array({ minLength: 1, maxLength: 40 }).map(hexFromBytes);
  await fc.assert(
    fc.asyncProperty(fc.array(value, { maxLength: 40 }), async (values) => {
      expect(orderedTrieRoot(values)).toBe(await rootByPuts(values));
    }),
    { numRuns: 100 },
  );
});
