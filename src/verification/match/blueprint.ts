const MAGIC = Buffer.from("fe71", "hex");

/**
 * The init code that a blueprint contract holds behind its preamble and data section; null for other code.
 * Source: EIP-5202.
 */
export function initCodeOfBlueprint(code: Buffer): Buffer | null {
  if (code.length < 4 || !code.subarray(0, 2).equals(MAGIC)) return null;
  const lengthSize = code.readUInt8(2) & 3;
  const header = 3 + lengthSize;
  if (lengthSize === 3 || code.length < header) return null;
  const dataLength = lengthSize === 0 ? 0 : code.readUIntBE(3, lengthSize);
  const initCode = code.subarray(header + dataLength);
  return initCode.length > 0 ? initCode : null;
}
