const PREAMBLE = Buffer.from("fe7100", "hex");

/** Returns a blueprint's init code; null for other code, and for preambles with data, which is unproven. Source: EIP-5202. */
export function initCodeOfBlueprint(code: Buffer): Buffer | null {
  const isBlueprint =
    code.length > PREAMBLE.length && code.subarray(0, PREAMBLE.length).equals(PREAMBLE);
  return isBlueprint ? code.subarray(PREAMBLE.length) : null;
}
