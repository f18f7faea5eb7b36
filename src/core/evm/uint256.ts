/** The largest number in a contract's answer. */
const MAXIMUM = 2n ** 256n - 1n;

/** The largest number in a contract's answer, as decimal text. */
export const UINT256_MAXIMUM = String(MAXIMUM);

/** Returns whether a number fits a contract's answer. */
export function isUint256(value: bigint): boolean {
  return value >= 0n && value <= MAXIMUM;
}
