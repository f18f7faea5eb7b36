import { decodeFunctionResult, encodeFunctionData, multicall3Abi } from "viem";
import type { Address } from "../core/address.ts";
import { type Hex, isHexData } from "../core/hex.ts";
import type { ContractCall } from "./chain.ts";

/** Where Multicall3 stands on every chain that has it. */
export const MULTICALL3: Address = "0xca11bde05977b3631167028862be2a173976ca11";

/** One call of Multicall3 that makes all of the calls and goes on when one of them fails. */
export function aggregate(calls: readonly ContractCall[]): ContractCall {
  return {
    to: MULTICALL3,
    data: encodeFunctionData({
      abi: multicall3Abi,
      functionName: "aggregate3",
      args: [calls.map(({ to, data }) => ({ target: to, allowFailure: true, callData: data }))],
    }),
  };
}

/**
 * What each of `count` aggregated calls returned; null for one that failed. Undefined when the answer is not that of
 * Multicall3.
 */
export function readAggregate(answer: unknown, count: number): (Hex | null)[] | undefined {
  if (!isHexData(answer)) return undefined;
  try {
    const results = decodeFunctionResult({
      abi: multicall3Abi,
      functionName: "aggregate3",
      data: answer,
    });
    if (results.length !== count) return undefined;
    return results.map(({ success, returnData }) => (success ? returnData : null));
  } catch {
    // No such contract, whatever stands at the address.
    return undefined;
  }
}
