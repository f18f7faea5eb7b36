import { keccak256, toRlp } from "../../core/deep-imports.ts";
import type { Hex } from "../../core/evm/hex.ts";

/** A value of an RLP encoding: bytes, or a list of values. */
export type RlpValue = Hex | readonly RlpValue[];

/** A field of the encoding is missing, or the encoding is unknown: nothing can be proven of the block. */
export class UnprovableError extends Error {}

/** The bytes of a quantity in RLP, without leading zeros. Throws `UnprovableError` when there is no quantity. */
export function integer(quantity: Hex | null | undefined, name: string): Hex {
  const digits = bytes(quantity, name).slice(2).replace(/^0+/, "");
  return digits.length % 2 === 0 ? `0x${digits}` : `0x0${digits}`;
}

/** The bytes of a hex text. Throws `UnprovableError` when there is none. */
export function bytes(data: Hex | null | undefined, name: string): Hex {
  if (typeof data !== "string") throw new UnprovableError(`there is no ${name}`);
  return data;
}

/** RLP of a value (Yellow Paper, appendix B). */
export function rlp(value: RlpValue): Hex {
  return toRlp(value as Parameters<typeof toRlp>[0]);
}

/** keccak-256 of the RLP of a value. */
export function rlpHash(value: RlpValue): Hex {
  return keccak256(rlp(value));
}
