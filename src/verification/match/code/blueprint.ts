const PREAMBLE = Buffer.from("fe7100", "hex");

/**
 * The init code that a blueprint contract holds behind its preamble; null for other code. A preamble may also hold data:
 * these nobody vouches for, and factories that skip three bytes (vyper's) would run them. Source: EIP-5202.
 */
export function initCodeOfBlueprint(code: Buffer): Buffer | null {
  const isBlueprint =
    code.length > PREAMBLE.length && code.subarray(0, PREAMBLE.length).equals(PREAMBLE);
  return isBlueprint ? code.subarray(PREAMBLE.length) : null;
}
