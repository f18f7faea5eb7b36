import type { AbiParameter } from "viem";
import { decodeAbiParameters, encodeAbiParameters } from "viem/utils";
import { type Hex, hexFromBytes } from "../../../core/evm/hex.ts";
import type { AbiEntry } from "../../compilers/output.ts";
import { plainParameter } from "../made-up-arguments.ts";
import type { CompiledCode } from "./bytecode.ts";
import {
  type CodeMatch,
  fillSlots,
  finishMatching,
  firstDifference,
  type Matching,
  type Mismatch,
  replaceAuxdata,
  startMatching,
} from "./code-match.ts";

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

/** Most bytes at the end of the creation code that are searched for arguments. */
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

/** Bytes allowed after creation code: an encoding of its ABI's parameters, any data, or nothing since the code may execute it. */
export type Following = readonly AbiEntry[] | "data" | "nothing";

/** Returns whether the bytes may follow the creation code: its source reads them, and it cannot execute them. */
export function mayFollow(following: Following, bytes: Buffer): boolean {
  if (following === "data" || following === "nothing") return following === "data";
  return areConstructorArguments(following, bytes);
}

/** Compares compiled creation code as a prefix of init code. The rest must be arguments: `given`, or any encoding. */
export function matchCreationCode(
  compiled: CompiledCode,
  auxdata: readonly Buffer[],
  onChain: Buffer,
  following: Following,
  given: Buffer | null,
): CodeMatch | Mismatch {
  if (compiled.bytes.length === 0) return { kind: "empty" };
  const matching = startMatching(compiled);
  const library = fillSlots(matching, compiled.libraries, onChain, "library");
  if (library) return { kind: "library", name: library.id };
  replaceAuxdata(matching, compiled.auxdata, onChain);
  const mismatch = appendArguments(matching, onChain, following, given);
  return mismatch ?? finishMatching(matching, auxdata);
}

/** Checks the prefix and the arguments behind it, and records the arguments. */
export function appendArguments(
  matching: Matching,
  onChain: Buffer,
  following: Following,
  given: Buffer | null,
): Mismatch | undefined {
  const { length } = matching.bytes;
  if (onChain.length < length) return { kind: "length", compiled: length, onChain: onChain.length };
  if (!onChain.subarray(0, length).equals(matching.bytes)) {
    const offset = firstDifference(matching.bytes, onChain);
    return { kind: "bytes", offset, metadataEqual: false };
  }
  const rest = onChain.subarray(length);
  if (rest.length > 0) {
    if (following === "nothing") return { kind: "runs-on" };
    matching.transformations.push({
      type: "insert",
      reason: "constructorArguments",
      offset: length,
    });
    matching.values.constructorArguments = hexFromBytes(rest);
  }
  const fault = faultOf(rest, following, given);
  return fault && { kind: "constructor-arguments", fault, values: matching.values };
}

/** Returns why the bytes after the compiled code are not arguments; undefined when they are. */
function faultOf(rest: Buffer, following: Following, given: Buffer | null) {
  if (given !== null && !given.equals(rest)) return "different";
  if (typeof following === "string") return undefined;
  if (rest.length > 0 && !takesArguments(following)) return "unexpected";
  return given !== null || areConstructorArguments(following, rest) ? undefined : "malformed";
}
