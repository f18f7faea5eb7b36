import { type Hex, hexFromBytes, hexToBytes } from "../../core/evm/hex.ts";
import type { CompiledCode, Slot } from "../match/code/bytecode.ts";

/** Compiled code in the stored form: zeros in the places that deployment fills in, and their offsets. */
export interface KeptCode {
  code: Hex;
  libraries: readonly Slot[];
  immutables: readonly Slot[];
  auxdata: readonly { id: string; offset: number; value: Hex }[];
}

/** Converts compiled code to the stored form. */
export function keepCode({ bytes, libraries, immutables, auxdata }: CompiledCode): KeptCode {
  return {
    code: hexFromBytes(bytes),
    libraries,
    immutables,
    auxdata: auxdata.map(({ id, offset, value }) => ({ id, offset, value: hexFromBytes(value) })),
  };
}

/** Restores compiled code from the stored form. */
export function compiledCodeOf({ code, libraries, immutables, auxdata }: KeptCode): CompiledCode {
  return {
    bytes: hexToBytes(code),
    libraries,
    immutables,
    auxdata: auxdata.map(({ id, offset, value }) => ({ id, offset, value: hexToBytes(value) })),
  };
}
