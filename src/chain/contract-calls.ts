import { chunk } from "../core/async.ts";
import { type Hex, isHexData } from "../core/hex.ts";
import type { BlockReference, ContractCall } from "./chain.ts";
import { type ChainErrorCode, NodeError } from "./errors.ts";
import { aggregate, MULTICALL3, readAggregate } from "./multicall.ts";
import type { NodeOutcome } from "./node.ts";
import { resultOf } from "./rpc-client.ts";
import type { StateCall } from "./state-pinning.ts";

/** Reads state of one block at one node. */
export type ReadState = (calls: readonly StateCall[]) => Promise<NodeOutcome[]>;

/**
 * What a call returned; null when the node's answer proves that the contract failed; an error when the node does not
 * say, though it makes other calls.
 */
export type Returned = Hex | null | NodeError;

/** Makes contract calls in as few round trips as the chain allows. */
export interface ContractCaller {
  /** Throws `NodeError` for trouble of the node. */
  call(calls: readonly ContractCall[], block: BlockReference, read: ReadState): Promise<Returned[]>;
}

const LARGEST_GROUP = 250;
const SMALLEST_GROUP = 4;

/** Where Multicall3 was missing it is looked for again that many blocks later. */
const BLOCKS_TO_LOOK_AGAIN = 100;

// Only these prove that a contract failed: what it returns alone may also be more than the node gives or we take.
const CONTRACT_FAULTS: ReadonlySet<ChainErrorCode> = new Set([
  "reverted",
  "out-of-gas",
  "response-too-large",
]);

// These are about the block, not about the call.
const ABOUT_BLOCK: ReadonlySet<ChainErrorCode> = new Set([
  "block-unknown",
  "block-replaced",
  "head-moved",
  "state-unavailable",
]);

// The identity precompile: whatever else a node cannot do, it can call this.
const CONTROL: ContractCall = { to: "0x0000000000000000000000000000000000000004", data: "0x01" };

export function createContractCaller(): ContractCaller {
  let presentSince = Number.POSITIVE_INFINITY;
  let absentUntil = -1;

  async function hasMulticall({ number }: BlockReference, read: ReadState): Promise<boolean> {
    if (number >= presentSince) return true;
    if (number < absentUntil) return false;
    const [code] = await read([{ method: "eth_getCode", params: [MULTICALL3] }]);
    const present = resultOf(code) !== "0x";
    if (present) presentSince = number;
    else absentUntil = number + BLOCKS_TO_LOOK_AGAIN;
    return present;
  }

  /** Fills `results` with what succeeded; gives the indexes of the rest. */
  async function callInGroups(
    calls: readonly ContractCall[],
    results: Returned[],
    read: ReadState,
  ): Promise<number[]> {
    const rest: number[] = [];
    let groups = chunk([...calls.keys()], LARGEST_GROUP);
    while (groups.length > 0) {
      const outcomes = await read(
        groups.map((group) =>
          ethCall(aggregate(group.map((index) => calls[index] as ContractCall))),
        ),
      );
      const halves: number[][] = [];
      for (const [position, group] of groups.entries()) {
        const outcome = outcomes[position] as NodeOutcome;
        if ("error" in outcome) {
          if (!CONTRACT_FAULTS.has(outcome.error.code) && !isOfCall(outcome.error)) {
            throw outcome.error;
          }
          if (group.length < 2 * SMALLEST_GROUP) rest.push(...group);
          else halves.push(...chunk(group, Math.ceil(group.length / 2)));
          continue;
        }
        const returned = readAggregate(outcome.result, group.length);
        if (!returned) presentSince = Number.POSITIVE_INFINITY;
        for (const [place, index] of group.entries()) {
          const value = returned?.[place] ?? null;
          // One call of a group can use up the gas of those behind it: only success is believed.
          if (value === null) rest.push(index);
          else results[index] = value;
        }
      }
      groups = halves;
    }
    return rest;
  }

  return {
    async call(calls, block, read) {
      const results = new Array<Returned>(calls.length).fill(null);
      const grouped = calls.length >= SMALLEST_GROUP && (await hasMulticall(block, read));
      const single = grouped ? await callInGroups(calls, results, read) : [...calls.keys()];
      const returned = await callSingly(
        single.map((index) => calls[index] as ContractCall),
        read,
      );
      for (const [position, index] of single.entries()) results[index] = returned[position] ?? null;
      return results;
    },
  };
}

async function callSingly(calls: readonly ContractCall[], read: ReadState): Promise<Returned[]> {
  const returned = (await read(calls.map(ethCall))).map(returnedBy);
  const unclear = [...returned.keys()].filter((index) => returned[index] instanceof NodeError);
  const [first] = unclear;
  if (first === undefined) return returned;
  const trouble = returned[first] as NodeError;
  const answersOthers = unclear.length < returned.length || isOfCall(trouble);
  if (ABOUT_BLOCK.has(trouble.code) || !answersOthers) throw trouble;
  // Whether the node is in trouble shows by a call that cannot fail, made at the same time.
  const asked = unclear.map((index) => calls[index] as ContractCall);
  const [control, ...again] = await read([CONTROL, ...asked].map(ethCall));
  resultOf(control);
  for (const [position, index] of unclear.entries()) {
    returned[index] = returnedBy(again[position] as NodeOutcome);
  }
  return returned;
}

function returnedBy(outcome: NodeOutcome): Returned {
  if ("error" in outcome) return CONTRACT_FAULTS.has(outcome.error.code) ? null : outcome.error;
  if (isHexData(outcome.result)) return outcome.result;
  return new NodeError("bad-answer", "a call returned no bytes");
}

/** Whether the node answered this call with an error whose cause may be the call. */
function isOfCall({ code, answer }: NodeError): boolean {
  return answer !== undefined && (code === "node-error" || code === "timeout");
}

function ethCall({ to, data }: ContractCall): StateCall {
  return { method: "eth_call", params: [{ to, data }] };
}
