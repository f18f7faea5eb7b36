import { isDeepStrictEqual } from "node:util";
import type { Address } from "../../core/evm/address.ts";
import type { Hex } from "../../core/evm/hex.ts";
import type { CompiledCode } from "./code/bytecode.ts";
import { type CodeMatch, isMatch } from "./code/code-match.ts";
import type { EnvironmentInstruction } from "./code/instructions.ts";
import { matchRuntimeCode } from "./code/runtime-code.ts";

/** The compiled creation code, to run where another one ran. */
export interface Trial {
  /** Linked as the runtime code is. */
  code: Hex;
  /** Arguments, each to be run after the code; empty when no run would prove anything. */
  endings: Hex[];
  /** True if the chain holds no arguments: the endings are made up, or the request's. */
  isMadeUp: boolean;
  /** Environment instructions of the constructor. */
  asks: EnvironmentInstruction[];
}

/** A contract whose constructor was run: its compiled code and the code on chain. */
export interface Trialled {
  compiled: CompiledCode;
  onChain: Buffer;
  address: Address;
}

/** Returns whether the compiled constructor returned the code on chain, apart from the metadata of both. */
export function returnedSameCode(trialled: Trialled, returned: Buffer): boolean {
  if (returned.equals(trialled.onChain)) return true;
  const [here, there] = [returned, trialled.onChain].map((code) => valuesOf(trialled, code));
  return here !== undefined && there !== undefined && isDeepStrictEqual(here, there);
}

/** Returns the deployed values in the code; undefined when it is not the compiled code. */
function valuesOf(
  { compiled, address }: Trialled,
  code: Buffer,
): Omit<CodeMatch["values"], "cborAuxdata"> | undefined {
  const outcome = matchRuntimeCode(compiled, [], code, address);
  if (!isMatch(outcome)) return undefined;
  const { cborAuxdata: _, ...values } = outcome.values;
  return values;
}
