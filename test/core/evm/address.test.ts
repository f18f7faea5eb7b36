import fc from "fast-check";
import { checksumAddress, pad } from "viem";
import { expect, test } from "vitest";
import {
  addressOfWord,
  isAddress,
  lowerAddress,
  wordOfAddress,
} from "../../../src/core/evm/address.ts";
import type { Hex } from "../../../src/core/evm/hex.ts";

const bytes20 = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes): Hex => `0x${Buffer.from(bytes).toString("hex")}`);

test("takes an address in any letter case, a wrong checksum too", () => {
  fc.assert(
    fc.property(bytes20, (address) => {
      const mixed = checksumAddress(address);
      expect(isAddress(address)).toBe(true);
      expect(isAddress(mixed)).toBe(true);
      expect(isAddress(`0x${address.slice(2).toUpperCase()}`)).toBe(true);
      expect(lowerAddress(mixed)).toBe(address);
    }),
  );
});

test.each([
  ["too short", `0x${"1".repeat(39)}`],
  ["too long", `0x${"1".repeat(41)}`],
  ["without its prefix", "1".repeat(40)],
  ["with an upper-case prefix", `0X${"1".repeat(40)}`],
  ["with another digit", `0x${"1".repeat(39)}g`],
  ["in front of a line end", `0x${"1".repeat(40)}\n`],
  ["that is no text", 0],
])("refuses an address %s", (_, text) => expect(isAddress(text)).toBe(false));

test("puts an address into a word as the ABI does, and takes it out again", () => {
  fc.assert(
    fc.property(bytes20, (address) => {
      expect(wordOfAddress(address)).toBe(pad(address, { size: 32 }));
      expect(addressOfWord(pad(address, { size: 32 }))).toBe(address);
    }),
  );
});
