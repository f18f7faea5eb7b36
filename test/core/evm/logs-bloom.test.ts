import fc from "fast-check";
import { keccak256 } from "viem";
import { expect, test } from "vitest";
import type { Hex } from "../../../src/core/evm/hex.ts";
import { logsBloom } from "../../../src/core/evm/logs-bloom.ts";

const word = (length: number) =>
  fc
    .uint8Array({ minLength: length, maxLength: length })
    .map((bytes): Hex => `0x${Buffer.from(bytes).toString("hex")}`);
const log = fc.record({ address: word(20), topics: fc.array(word(32), { maxLength: 4 }) });

/** The Yellow Paper's M3:2048 for one item, as a number of 2,048 bits. */
function bitsOf(item: Hex): bigint {
  const hash = keccak256(item).slice(2);
  return [0, 4, 8]
    .map((at) => 1n << (BigInt(`0x${hash.slice(at, at + 4)}`) & 2047n))
    .reduce((all, bit) => all | bit, 0n);
}

test("sets the three bits of each address and topic, and no other", () => {
  fc.assert(
    fc.property(fc.array(log, { maxLength: 5 }), (logs) => {
      const expected = logs
        .flatMap(({ address, topics }) => [address, ...topics])
        .reduce((all, item) => all | bitsOf(item), 0n);
      expect(logsBloom(logs)).toBe(`0x${expected.toString(16).padStart(512, "0")}`);
    }),
  );
});
