import type { AbiParameter } from "viem";
import { decodeAbiParameters, encodeAbiParameters } from "viem/utils";
import { type Hex, hexFromBytes } from "../../../core/evm/hex.ts";
import type { AbiEntry } from "../../compilers/output.ts";
import { plainParameter } from "../made-up-arguments.ts";

/** Returns whether the constructor takes any arguments. */
export function takesArguments(abi: readonly AbiEntry[]): boolean {
  return constructorParameters(abi).length > 0;
}

/** Returns whether `bytes` are exactly the ABI encoding of some values for the constructor's parameters. */
export function areConstructorArguments(abi: readonly AbiEntry[], bytes: Buffer): boolean {
  const parameters = constructorParameters(abi);
  const encoded: Hex = hexFromBytes(bytes);
  try {
    // A decoder accepts more than an encoder produces: other offsets, dirty padding, bytes behind the end.
    return encodeAbiParameters(parameters, decodeAbiParameters(parameters, encoded)) === encoded;
  } catch {
    return false;
  }
}

/** Returns the inputs of the constructor by the ABI; empty without one. */
export function constructorInputs(abi: readonly AbiEntry[]): AbiParameter[] {
  const inputs = abi.find(({ type }) => type === "constructor")?.["inputs"];
  return Array.isArray(inputs) ? inputs : [];
}

function constructorParameters(abi: readonly AbiEntry[]): AbiParameter[] {
  return constructorInputs(abi).map(plainParameter);
}

/** Bytes at the end of the creation code that are searched for arguments. */
const MAX_ARGUMENTS_BYTES = 32 * 1024;
/** The end of an encoded list or text may itself look like an encoding. */
const MAX_GUESSES = 4;

/** Returns ends of creation code that may be arguments, shortest first. */
export function guessArguments(abi: readonly AbiEntry[], creationCode: Buffer): Buffer[] {
  if (!takesArguments(abi)) return [Buffer.alloc(0)];
  const guesses: Buffer[] = [];
  const longest = Math.min(MAX_ARGUMENTS_BYTES, creationCode.length);
  for (let size = 32; size <= longest && guesses.length < MAX_GUESSES; size += 32) {
    const end = creationCode.subarray(-size);
    if (areConstructorArguments(abi, end)) guesses.push(end);
  }
  return guesses;
}
