import fc from "fast-check";
import { expect, test } from "vitest";
import { divideRounded, formatRounded, parseInteger } from "../../src/core/decimal.ts";

test("rounds half up, to exactly as many places", () => {
  expect(formatRounded(1_234_500n, 6, 3)).toBe("1.235");
  expect(formatRounded(1_234_499n, 6, 3)).toBe("1.234");
  expect(formatRounded(999_999n, 6, 2)).toBe("1.00");
  expect(formatRounded(0n, 18, 2)).toBe("0.00");
  expect(formatRounded(5n, 1, 0)).toBe("1");
  expect(formatRounded(12n, 0, 3)).toBe("12.000");
});

test("is never further off than half of the last place", () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 10n ** 40n), fc.nat(30), fc.nat(20), (value, decimals, places) => {
      const text = formatRounded(value, decimals, places);
      const rounded = BigInt(text.replace(".", ""));
      const difference = rounded * 10n ** BigInt(decimals) - value * 10n ** BigInt(places);
      const twice = difference < 0n ? -2n * difference : 2n * difference;
      expect(twice <= 10n ** BigInt(decimals)).toBe(true);
    }),
  );
});

test("divides to the nearest whole number, half up", () => {
  expect([4n, 5n, 6n, 7n].map((value) => divideRounded(value, 4n))).toEqual([1n, 1n, 2n, 2n]);
  expect(divideRounded(1n, 3n)).toBe(0n);
});

test("reads integers with a sign, and nothing else", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 99n), max: 10n ** 99n }), (value) => {
      expect(parseInteger(String(value))).toBe(value);
    }),
  );
  expect(parseInteger("+7")).toBe(7n);
  expect(parseInteger("007")).toBe(7n);
});

test.each(["", " 1", "1 ", "1\n", "1e3", "1_000", "0x10", "1.0", "--1", "+", "٣", "9".repeat(101)])(
  "refuses %j as an integer",
  (text) => expect(parseInteger(text)).toBeUndefined(),
);
