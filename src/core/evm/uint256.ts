/** The largest number that a contract can tell. */
const MAXIMUM = 2n ** 256n - 1n;

/** The largest number that a contract can tell, as decimal text. */
export const UINT256_MAXIMUM = String(MAXIMUM);

/** Whether a contract can tell the number. */
export function isUint256(value: bigint): boolean {
  return value >= 0n && value <= MAXIMUM;
}
