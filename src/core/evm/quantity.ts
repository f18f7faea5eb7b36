import type { Hex } from "./hex.ts";

const QUANTITY = /^0x[0-9a-fA-F]+$/;

/** Returns whether text is `0x` plus at least one hex digit: a "quantity" of the JSON-RPC specification, leading zeros tolerated. */
export function isQuantity(text: unknown): text is Hex {
  return typeof text === "string" && QUANTITY.test(text);
}

/** Returns whether `quantityToNumber` accepts it: a quantity of at most 2^53 - 1. */
export function isExactQuantity(text: unknown): text is Hex {
  return isQuantity(text) && Number.isSafeInteger(Number.parseInt(text, 16));
}

/** Converts a hex quantity, `0x` for 0, or a JSON number in its place. Throws `RangeError` for anything else or above 2^53 - 1. */
export function quantityToNumber(quantity: string | number): number {
  const isHex = typeof quantity === "string" && quantity.startsWith("0x");
  const value = isHex ? Number(quantity === "0x" ? 0 : quantity) : quantity;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw new RangeError(`quantity ${quantity} is not a safe integer`);
}

const BEYOND_64_BITS = 1n << 64n;

/** Converts a quantity for a 64-bit column: the largest, which mean "none", become -1, -2 … Throws `RangeError`. */
export function quantityToInt64(quantity: string): number {
  const below = isQuantity(quantity) ? Number(BigInt(quantity) - BEYOND_64_BITS) : 0;
  return below < 0 && Number.isSafeInteger(below) ? below : quantityToNumber(quantity);
}

/** Returns the decimal text of a result of `quantityToInt64`. */
export function int64ToDecimal(value: number): string {
  return BigInt.asUintN(64, BigInt(value)).toString();
}

/** Parses a hex quantity as a big integer; `0x` alone is 0. */
export function quantityToBigInt(quantity: string): bigint {
  return quantity === "0x" ? 0n : BigInt(quantity);
}

/** Converts a hex quantity of any size to decimal text. */
export function quantityToDecimal(quantity: string): string {
  return quantity.length <= 14
    ? String(Number.parseInt(quantity, 16))
    : BigInt(quantity).toString();
}

/** Returns the minimal lower-case hex quantity (`0x0` for zero) of an unsigned number or its decimal text. */
export function quantity(value: number | bigint | string): Hex {
  return `0x${(typeof value === "number" ? value : BigInt(value)).toString(16)}`;
}
