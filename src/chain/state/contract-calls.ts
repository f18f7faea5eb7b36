import { chunk } from "../../core/async.ts";
import { BaseError, call, multicall3Abi, readContract } from "../../core/deep-imports.ts";
import type { Hex } from "../../core/evm/hex.ts";
import type { ChainErrorCode } from "../errors/codes.ts";
import { NodeError, nodeErrorIn } from "../errors/errors.ts";
import { fillIn } from "../errors/outcomes.ts";
import type { BlockReference, ContractCall } from "../questions.ts";
import type { NodeClient } from "../rpc/node-client.ts";
import { STATIC_CALLS, STATIC_CALLS_CODE } from "./static-calls.ts";

/** Outcome of a call: null when the contract provably failed, an error when the node does not say. */
export type Returned = Hex | null | NodeError;

/** In a group of so many each call has at least 262,144 gas, its share of what static-calls.sol may use. */
export const LARGEST_GROUP = 64;
const SMALLEST_GROUP = 4;
/** Where more contracts use up their gas in groups, none of them is called alone: they would keep the node busy. */
const MOST_COSTLY = 4;

/** Where a node refused groups, they are tried again that many blocks later. */
const BLOCKS_TO_LOOK_AGAIN = 100;

// Only these prove that a contract failed: what it returns alone may also be more than the node gives or we take.
const CONTRACT_FAULTS: ReadonlySet<ChainErrorCode> = new Set([
  "reverted",
  "out-of-gas",
  "response-too-large",
]);

/** From a node that answers other calls, these mean that a call takes more time than there is. */
const LATE: ReadonlySet<ChainErrorCode> = new Set(["aborted", "timeout"]);

// These are about the block, not about the call.
const ABOUT_BLOCK: ReadonlySet<ChainErrorCode> = new Set([
  "block-unknown",
  "block-replaced",
  "head-moved",
  "state-unavailable",
]);

/** The identity precompile: whatever else a node cannot do, it can call this. */
export const CONTROL: ContractCall = {
  to: "0x0000000000000000000000000000000000000004",
  data: "0x01",
};

// With these a node refuses to override the code of an account, or cannot run it.
const NO_GROUPS: ReadonlySet<ChainErrorCode> = new Set([
  "invalid-request",
  "method-missing",
  "bad-answer",
  ...CONTRACT_FAULTS,
]);

/**
 * Creates the function that makes contract calls in as few round trips as the chain allows, on the state of the block that
 * `viem` reads. It throws `NodeError` for trouble of the node. Groups are called through a contract of our own
 * (static-calls.sol), which exists only in the request's state override. Multicall3 would let a contract change what the ones
 * behind it answer: a `balanceOf` that pays coins to somebody would give him a balance that he never has. viem's `multicall`
 * takes a failed group for a failure of each of its calls, and a call that found no gas left for one that failed. Here a failed
 * group is halved, and a call that failed in a group is made alone. Where time is up, or too many contracts used up their gas, it
 * stays unanswered, and the answers of the others are kept.
 */
export function createContractCaller() {
  let knowsGroups = false;
  let askAgainAt = 0;

  async function learnGroups(viem: NodeClient, block: BlockReference): Promise<boolean> {
    if (!knowsGroups && block.number >= askAgainAt) {
      const [returned] = (await callGroup(viem, [CONTROL], block.hash)) ?? [];
      knowsGroups = returned === CONTROL.data;
      askAgainAt = block.number + BLOCKS_TO_LOOK_AGAIN;
    }
    return knowsGroups;
  }

  /** Returns what a group's calls returned: null for a failure, an error for used-up gas; undefined when the group failed. */
  async function callGroup(
    viem: NodeClient,
    calls: readonly ContractCall[],
    blockHash: Hex,
  ): Promise<Returned[] | undefined> {
    try {
      const results = await readContract(viem, {
        address: STATIC_CALLS,
        abi: multicall3Abi,
        functionName: "aggregate3",
        args: [calls.map(({ to, data }) => ({ target: to, allowFailure: true, callData: data }))],
        stateOverride: [{ address: STATIC_CALLS, code: STATIC_CALLS_CODE }],
        blockHash,
      });
      if (results.length === calls.length) {
        return results.map(({ success, returnData }) => {
          if (success) return returnData;
          // One byte tells that the call used up its gas (static-calls.sol).
          return returnData === "0x" ? null : new NodeError("out-of-gas", "no gas left in a group");
        });
      }
    } catch (thrown) {
      const error = nodeErrorIn(thrown);
      const isOfGroup = error ? NO_GROUPS.has(error.code) : thrown instanceof BaseError;
      if (!isOfGroup && !(error && isOfCall(error))) throw thrown;
    }
    return undefined;
  }

  /** As `callGroup`. A group that failed as a whole is halved. */
  async function callInGroup(
    viem: NodeClient,
    calls: readonly ContractCall[],
    blockHash: Hex,
  ): Promise<(Returned | undefined)[]> {
    const returned = await callGroup(viem, calls, blockHash);
    if (returned) return returned;
    if (calls.length < 2 * SMALLEST_GROUP) return calls.map(() => undefined);
    const halves = chunk(calls, Math.ceil(calls.length / 2));
    const ofHalves = halves.map((half) => callInGroup(viem, half, blockHash));
    return (await Promise.all(ofHalves)).flat();
  }

  return async (
    viem: NodeClient,
    calls: readonly ContractCall[],
    block: BlockReference,
  ): Promise<Returned[]> => {
    const isGrouped = calls.length >= SMALLEST_GROUP && (await learnGroups(viem, block));
    const groups = isGrouped ? chunk(calls, LARGEST_GROUP) : [];
    const ofGroups = groups.map((group) => callInGroup(viem, group, block.hash));
    const results: (Returned | undefined)[] = (await Promise.all(ofGroups)).flat();
    const isAnswering = results.some((one) => one !== undefined);
    // A call has less gas in a group than alone: only success is believed.
    const single = [...calls.keys()].filter((index) => !results[index]);
    const costly = [...calls.keys()].filter((index) => results[index] instanceof NodeError);
    const isFew = new Set(costly.map((index) => calls[index]?.to)).size <= MOST_COSTLY;
    for (const some of isFew ? [single, costly] : [single]) {
      if (some.length === 0) continue;
      await fillIn(results, some, calls, (one) => callSingly(viem, one, block.hash, isAnswering));
    }
    return results as Returned[];
  };
}

/** `isAnswering`: the node has made a group of calls at this block. */
async function callSingly(
  viem: NodeClient,
  calls: readonly ContractCall[],
  blockHash: Hex,
  isAnswering: boolean,
): Promise<Returned[]> {
  const callEach = (some: readonly ContractCall[]): Promise<Returned[]> =>
    Promise.all(some.map((one) => callOne(viem, one, blockHash)));
  const returned = await callEach(calls);
  const unclear = [...returned.keys()].filter((index) => returned[index] instanceof NodeError);
  const [first] = unclear;
  if (first === undefined) return returned;
  const trouble = returned[first] as NodeError;
  if (isAnswering && LATE.has(trouble.code)) return returned;
  const answersOthers = unclear.length < returned.length || isOfCall(trouble);
  if (ABOUT_BLOCK.has(trouble.code) || !answersOthers) throw trouble;
  // Whether the node is in trouble shows by a call that cannot fail, made at the same time.
  await fillIn(returned, unclear, calls, async (some) => {
    const [control, ...again] = await callEach([CONTROL, ...some]);
    if (typeof control !== "string") throw control ?? trouble;
    return again;
  });
  return returned;
}

async function callOne(
  viem: NodeClient,
  { to, data }: ContractCall,
  blockHash: Hex,
): Promise<Returned> {
  try {
    return (await call(viem, { to, data, blockHash })).data ?? "0x";
  } catch (thrown) {
    const error = nodeErrorIn(thrown);
    if (!error) throw thrown;
    return CONTRACT_FAULTS.has(error.code) ? null : error;
  }
}

/** Whether the node answered this call with an error whose cause may be the call. */
function isOfCall({ code, answer }: NodeError): boolean {
  return answer !== undefined && (code === "node-error" || code === "timeout");
}
