import { chunk } from "../../core/async.ts";
import { BaseError, call, multicall3Abi, readContract } from "../../core/deep-imports.ts";
import type { Hex } from "../../core/evm/hex.ts";
import type { ChainErrorCode } from "../errors/codes.ts";
import { NodeError, nodeErrorIn } from "../errors/errors.ts";
import { fillIn } from "../errors/outcomes.ts";
import type { BlockReference, ContractCall } from "../questions.ts";
import type { NodeClient } from "../rpc/node-client.ts";
import { STATIC_CALLS, STATIC_CALLS_CODE } from "./static-calls.ts";

/** Result of a call; null when the node's answer proves that the contract failed; an error when the node answers only other calls. */
export type Returned = Hex | null | NodeError;

/** Most calls of a group: each has at least 262,144 gas, its share of the gas of static-calls.sol. */
export const LARGEST_GROUP = 64;
const SMALLEST_GROUP = 4;
/** Most contracts that use up their gas in groups and are then called alone; more would occupy the node. */
const MOST_COSTLY = 4;

/** Blocks until groups are tried again on a node that refused them. */
const BLOCKS_TO_LOOK_AGAIN = 100;

// Only these prove a contract's failure: a result may also exceed the node's limit or ours.
const CONTRACT_FAULTS: ReadonlySet<ChainErrorCode> = new Set([
  "reverted",
  "out-of-gas",
  "response-too-large",
]);

/** From a node that answers other calls, these mean that a call exceeds the time limit. */
const LATE: ReadonlySet<ChainErrorCode> = new Set(["aborted", "timeout"]);

// These are about the block, not about the call.
const ABOUT_BLOCK: ReadonlySet<ChainErrorCode> = new Set([
  "block-unknown",
  "block-replaced",
  "head-moved",
  "state-unavailable",
]);

/** A call to the identity precompile, which every working node can make. */
export const CONTROL: ContractCall = {
  to: "0x0000000000000000000000000000000000000004",
  data: "0x01",
};

// With these errors a node refuses to override an account's code, or cannot run it.
const NO_GROUPS: ReadonlySet<ChainErrorCode> = new Set([
  "invalid-request",
  "method-missing",
  "bad-answer",
  ...CONTRACT_FAULTS,
]);

/**
 * Creates the function that makes contract calls in few round trips, on the state of the block that
 * `viem` reads. Throws `NodeError` when the node fails. A group runs through static-calls.sol,
 * which exists only in the request's state override. With Multicall3, a contract could change later
 * answers: a `balanceOf` that pays coins would fake a balance. viem's `multicall` reports a failed
 * group, or a lack of gas, as each call's failure. Here a failed group is halved, and a failed call
 * is repeated alone. At the time limit, or with too many costly contracts, calls stay unanswered,
 * and other answers are kept.
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

  /** Returns the results of a group's calls: null for a failure, an error for used-up gas; undefined when the group failed. */
  async function callGroup(viem: NodeClient, calls: readonly ContractCall[], blockHash: Hex) {
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
          // One byte means that the call used up its gas (static-calls.sol).
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

  /** As `callGroup`, but halves a group that failed as a whole. */
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
    // A call has less gas in a group than alone: only success counts.
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

/** `isAnswering`: the node has answered a group of calls at this block. */
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
  // A call that cannot fail, made at the same time, shows whether the node itself fails.
  await fillIn(returned, unclear, calls, async (some) => {
    const [control, ...again] = await callEach([CONTROL, ...some]);
    if (typeof control !== "string") throw control ?? trouble;
    return again;
  });
  return returned;
}

async function callOne(viem: NodeClient, { to, data }: ContractCall, blockHash: Hex) {
  try {
    return (await call(viem, { to, data, blockHash })).data ?? "0x";
  } catch (thrown) {
    const error = nodeErrorIn(thrown);
    if (!error) throw thrown;
    return CONTRACT_FAULTS.has(error.code) ? null : error;
  }
}

/** Returns whether the node's error for this call may be the call's fault. */
function isOfCall({ code, answer }: NodeError): boolean {
  return answer !== undefined && (code === "node-error" || code === "timeout");
}
