import fc from "fast-check";
import { expect, test } from "vitest";
import {
  int64ToDecimal,
  isExactQuantity,
  isQuantity,
  quantity,
  quantityToBigInt,
  quantityToDecimal,
  quantityToInt64,
  quantityToNumber,
} from "../../../src/core/evm/quantity.ts";

const MAXIMUM = 2n ** 256n - 1n;

test("gives back every number up to 256 bits", () => {
  const value = fc.oneof(fc.bigInt(0n, MAXIMUM), fc.bigInt(2n ** 47n, 2n ** 54n));
  fc.assert(
    fc.property(value, (number) => {
      const hex = `0x${number.toString(16)}`;
      expect(quantity(number)).toBe(hex);
      expect(quantity(String(number))).toBe(hex);
      expect(quantityToBigInt(hex)).toBe(number);
      expect(quantityToDecimal(hex)).toBe(String(number));
      expect(isQuantity(hex)).toBe(true);
    }),
  );
});

test("takes leading zeros, of any count", () => {
  const hex = `0x${"0".repeat(30)}ff`;
  expect(quantityToNumber(hex)).toBe(255);
  expect(quantityToDecimal(hex)).toBe("255");
  expect(quantityToBigInt(hex)).toBe(255n);
});

test("takes 0x alone for zero where a node may send it", () => {
  expect(quantityToBigInt("0x")).toBe(0n);
  expect(isQuantity("0x")).toBe(false);
});

test("gives no number that is not exact", () => {
  expect(quantityToNumber("0x1fffffffffffff")).toBe(Number.MAX_SAFE_INTEGER);
  expect(() => quantityToNumber("0x20000000000000")).toThrow(RangeError);
  expect(quantityToNumber("0x")).toBe(0);
  expect(() => quantityToNumber("what")).toThrow(RangeError);
  expect(["0x1fffffffffffff", "0x20000000000000", "0x", "what", 1].map(isExactQuantity)).toEqual([
    true,
    false,
    false,
    false,
    false,
  ]);
});

test("keeps the largest numbers of 64 bits beside those that are exact, and gives them back", () => {
  const largest = [2n ** 64n - 1n, 2n ** 64n - 2n ** 53n + 1n, 2n ** 53n - 1n, 0n];
  const kept = largest.map((value) => quantityToInt64(quantity(value)));
  expect(kept).toEqual([-1, -Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 0]);
  expect(kept.map(int64ToDecimal)).toEqual(largest.map(String));
  for (const beyond of [2n ** 64n, 2n ** 64n - 2n ** 53n, 2n ** 53n]) {
    expect(() => quantityToInt64(quantity(beyond))).toThrow(RangeError);
  }
  expect(() => quantityToInt64("10")).toThrow(RangeError);
});

test("takes a JSON number for what it says, and nothing else for a number", () => {
  expect(quantityToNumber(10)).toBe(10);
  for (const other of ["10", "0x12zz", "", -1, 1.5, 1e300, null, true, [], {}]) {
    expect(() => quantityToNumber(other as string)).toThrow(RangeError);
  }
});

test("writes the smallest form", () => {
  expect(quantity(0)).toBe("0x0");
  expect(quantity(255)).toBe("0xff");
});

test.each([["12"], ["0xg"], ["0x1 "], ["0X1"], [""], [1]])("refuses %j as a quantity", (text) => {
  expect(isQuantity(text)).toBe(false);
});
