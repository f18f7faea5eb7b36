/** Bounded: the time to parse a number grows with the square of its length. */
export const INTEGER = /^[+-]?\d{1,100}$/;

/** Parses a decimal integer of up to 100 digits; undefined for other text. Source: docs/wire.md, "Values". */
export function parseInteger(text: string): bigint | undefined {
  return INTEGER.test(text) ? BigInt(text.startsWith("+") ? text.slice(1) : text) : undefined;
}

/** Formats `value / 10^decimals` rounded half up to exactly `places` decimal places; `value` is 0 or more. */
export function formatRounded(value: bigint, decimals: number, places: number): string {
  const scale = 10n ** BigInt(decimals);
  const target = 10n ** BigInt(places);
  const digits = divideRounded(value * target, scale)
    .toString()
    .padStart(places + 1, "0");
  return `${digits.slice(0, digits.length - places)}${places > 0 ? `.${digits.slice(-places)}` : ""}`;
}

/** Divides two numbers that are not negative, rounded half up. */
export function divideRounded(value: bigint, divisor: bigint): bigint {
  return (value * 2n + divisor) / (divisor * 2n);
}
