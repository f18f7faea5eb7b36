import fc from "fast-check";
import { bytesToHex, concatHex, size, sliceHex, hexToBytes as viemBytes } from "viem";
import { expect, test } from "vitest";
import {
  type Hex,
  hexConcat,
  hexFromBytes,
  hexLength,
  hexSlice,
  hexToBytes,
  isHash,
  isHexData,
  lowerHex,
} from "../../../src/core/evm/hex.ts";

const bytes = fc.uint8Array({ maxLength: 80 });

test("turns bytes into hex and back as viem does", () => {
  fc.assert(
    fc.property(bytes, (value) => {
      const hex = bytesToHex(value);
      expect(hexFromBytes(value)).toBe(hex);
      expect(new Uint8Array(hexToBytes(hex))).toEqual(viemBytes(hex));
      expect(hexLength(hex)).toBe(size(hex));
      expect(isHexData(hex)).toBe(true);
      expect(lowerHex(hex.toUpperCase())).toBe(hex);
    }),
  );
});

test("reads a part of a larger buffer, and no more", () => {
  const buffer = new Uint8Array([1, 2, 3, 4]);
  expect(hexFromBytes(buffer.subarray(1, 3))).toBe("0x0203");
});

test("cuts and joins as viem does", () => {
  fc.assert(
    fc.property(bytes, fc.nat(80), fc.nat(80), (value, first, second) => {
      const hex = bytesToHex(value);
      const [start, end] = [Math.min(first, second), Math.max(first, second)];
      if (start < value.length) expect(hexSlice(hex, start, end)).toBe(sliceHex(hex, start, end));
      expect(hexConcat(hexSlice(hex, 0, start), hexSlice(hex, start))).toBe(hex);
      expect(hexConcat(hex, hex)).toBe(concatHex([hex, hex]));
    }),
  );
});

test("gives less, not wrong bytes, beyond the end", () => {
  expect(hexSlice("0x0102", 1, 9)).toBe("0x02");
  expect(hexSlice("0x0102", 5)).toBe("0x");
});

test.each<[string, unknown, boolean, boolean]>([
  ["no bytes", "0x", true, false],
  ["half a byte", "0x1", false, false],
  ["a hash", `0x${"aB".repeat(32)}`, true, true],
  ["a byte less than a hash", `0x${"ab".repeat(31)}`, true, false],
  ["a byte more than a hash", `0x${"ab".repeat(33)}`, true, false],
  ["no prefix", "ab".repeat(32), false, false],
  ["no hex digit", `0x${"zz".repeat(32)}`, false, false],
  ["a line end", `0x${"ab".repeat(32)}\n`, false, false],
  ["no text", { length: 66 }, false, false],
])("tells %s", (_, value, data, hash) => {
  expect(isHexData(value)).toBe(data);
  expect(isHash(value)).toBe(hash);
});

test("joins nothing to no bytes", () => expect(hexConcat()).toBe("0x" satisfies Hex));
