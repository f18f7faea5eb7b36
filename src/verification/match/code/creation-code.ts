import { hexFromBytes } from "../../../core/evm/hex.ts";
import type { AbiEntry } from "../../compilers/output.ts";
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
import { areConstructorArguments, takesArguments } from "./constructor-arguments.ts";

/** Bytes allowed after creation code: an encoding of its ABI's parameters, any data, or nothing since the code may execute it. */
export type Following = readonly AbiEntry[] | "data" | "nothing";

/** Returns whether creation code reads the bytes after it by its source, and cannot execute them in this form. */
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
