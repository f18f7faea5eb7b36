import { keccak256, toRlp } from "../../core/deep-imports.ts";
import type { Hex } from "../../core/evm/hex.ts";

/** A value of an RLP encoding: bytes, or a list of values. */
export type RlpValue = Hex | readonly RlpValue[];

/** A field is missing, or the encoding is unknown, so the block cannot be proven. */
export class UnprovableError extends Error {}

/** Returns the bytes of a quantity in RLP, without leading zeros. Throws `UnprovableError` without a quantity. */
export function integer(quantity: Hex | null | undefined, name: string): Hex {
  const digits = bytes(quantity, name).slice(2).replace(/^0+/, "");
  return digits.length % 2 === 0 ? `0x${digits}` : `0x0${digits}`;
}

/** Returns the bytes of a hex text. Throws `UnprovableError` without one. */
export function bytes(data: Hex | null | undefined, name: string): Hex {
  if (typeof data !== "string") throw new UnprovableError(`${name} is missing`);
  return data;
}

/** Encodes a value in RLP (Yellow Paper, appendix B). */
export function rlp(value: RlpValue): Hex {
  return toRlp(value as Parameters<typeof toRlp>[0]);
}

/** Returns keccak-256 of the RLP of a value. */
export function rlpHash(value: RlpValue): Hex {
  return keccak256(rlp(value));
}
