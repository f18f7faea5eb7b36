import type { AbiParameter } from "viem";
import { decodeAbiParameters, encodeAbiParameters } from "viem/utils";
import { type Hex, hexFromBytes } from "../../core/hex.ts";
import type { AbiEntry } from "../compilers/output.ts";

/** Whether the constructor takes any arguments. */
export function takesArguments(abi: readonly AbiEntry[]): boolean {
  return constructorParameters(abi).length > 0;
}

/** Whether `bytes` are what the ABI encoding of the constructor's parameters yields for some values. */
export function areConstructorArguments(abi: readonly AbiEntry[], bytes: Buffer): boolean {
  const parameters = constructorParameters(abi);
  if (parameters.length === 0) return bytes.length === 0;
  const encoded: Hex = hexFromBytes(bytes);
  try {
    // A decoder accepts more than an encoder makes: stretched offsets, dirty padding, rubbish behind the end.
    return encodeAbiParameters(parameters, decodeAbiParameters(parameters, encoded)) === encoded;
  } catch {
    return false;
  }
}

/** Inputs of the constructor, none when it has no constructor of its own; texts as bytes, which need not be UTF-8. */
function constructorParameters(abi: readonly AbiEntry[]): AbiParameter[] {
  const inputs = abi.find(({ type }) => type === "constructor")?.["inputs"];
  return Array.isArray(inputs) ? (inputs as AbiParameter[]).map(withoutText) : [];
}

function withoutText(parameter: AbiParameter): AbiParameter {
  const type = parameter.type.replace(/^string/, "bytes").replace(/^function/, "bytes24");
  if (!("components" in parameter)) return { ...parameter, type };
  return { ...parameter, type, components: parameter.components.map(withoutText) };
}

/** Longest end of creation code that is looked through for arguments. */
const MAX_ARGUMENTS_BYTES = 32 * 1024;
/** Encodings of lists and texts may themselves end in what reads as an encoding. */
const MAX_GUESSES = 4;

/**
 * The ends of creation code that may be the arguments of a constructor, where it is not known how long the code before
 * them is: the shortest first, none when there is none.
 */
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
