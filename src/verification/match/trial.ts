import { isDeepStrictEqual } from "node:util";
import type { Address } from "../../core/evm/address.ts";
import type { CompiledCode } from "./code/bytecode.ts";
import { type CodeMatch, isMatch } from "./code/code-match.ts";
import { matchRuntimeCode } from "./code/runtime-code.ts";

/** A contract whose constructor was run: its compiled code and the code on chain. */
export interface Trialled {
  compiled: CompiledCode;
  onChain: Buffer;
  address: Address;
}

/** Whether the compiled constructor returned the code on chain, whatever the metadata of both. */
export function returnedSameCode(trialled: Trialled, returned: Buffer): boolean {
  if (returned.equals(trialled.onChain)) return true;
  const [here, there] = [returned, trialled.onChain].map((code) => valuesOf(trialled, code));
  return here !== undefined && there !== undefined && isDeepStrictEqual(here, there);
}

/**
 * Whether two runs of the compiled constructor, in very different environments, return the same code or value that is
 * not on chain: then it does not come from the environment.
 */
export function bothReturnedOther(trialled: Trialled, first: Buffer, second: Buffer): boolean {
  if (first.equals(second)) return !returnedSameCode(trialled, first);
  const [left, right, onChain] = [first, second, trialled.onChain].map(
    (code) => valuesOf(trialled, code)?.immutables,
  );
  if (left === undefined || right === undefined || onChain === undefined) return false;
  return Object.entries(left).some(([id, value]) => value === right[id] && value !== onChain[id]);
}

/** The values that deployment put into the code; undefined when it is not the compiled code. */
function valuesOf(
  { compiled, address }: Trialled,
  code: Buffer,
): Omit<CodeMatch["values"], "cborAuxdata"> | undefined {
  const outcome = matchRuntimeCode(compiled, [], code, address);
  if (!isMatch(outcome)) return undefined;
  const { cborAuxdata: _, ...values } = outcome.values;
  return values;
}
