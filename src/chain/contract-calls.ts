import { chunk } from "../core/async.ts";
import { type Hex, isHexData } from "../core/hex.ts";
import type { BlockReference, ContractCall } from "./chain.ts";
import type { ChainErrorCode, NodeError } from "./errors.ts";
import { aggregate, MULTICALL3, readAggregate } from "./multicall.ts";
import type { NodeOutcome } from "./node.ts";
import { resultOf } from "./rpc-client.ts";
import type { StateCall } from "./state-pinning.ts";

/** Reads state of one block at one node. */
export type ReadState = (calls: readonly StateCall[]) => Promise<NodeOutcome[]>;

/** Makes contract calls in as few round trips as the chain allows. */
export interface ContractCaller {
  /** What each call returned, null for one that failed and always will. Throws `NodeError` for trouble of the node. */
  call(
    calls: readonly ContractCall[],
    block: BlockReference,
    read: ReadState,
  ): Promise<(Hex | null)[]>;
}

const LARGEST_GROUP = 250;
const SMALLEST_GROUP = 4;

/** Where Multicall3 was missing it is looked for again that many blocks later. */
const BLOCKS_TO_LOOK_AGAIN = 100;

// A call that fails so fails because of what the contract does.
const CONTRACT_FAULTS: ReadonlySet<ChainErrorCode> = new Set([
  "reverted",
  "response-too-large",
  "batch-too-large",
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
    results: (Hex | null)[],
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
          if (!isContractFault(outcome.error)) throw outcome.error;
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
      const results = new Array<Hex | null>(calls.length).fill(null);
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

async function callSingly(
  calls: readonly ContractCall[],
  read: ReadState,
): Promise<(Hex | null)[]> {
  const outcomes = await read(calls.map(ethCall));
  const unclear = outcomes.flatMap((outcome, index) =>
    "error" in outcome && outcome.error.code === "node-error" ? [index] : [],
  );
  if (unclear.length > 0) {
    // An error without a meaning is the contract's when the node makes another call at the same time.
    const asked = unclear.map((index) => calls[index] as ContractCall);
    const again = await read([CONTROL, ...asked].map(ethCall));
    resultOf(again[0]);
    for (const [position, index] of unclear.entries()) {
      outcomes[index] = again[position + 1] as NodeOutcome;
    }
  }
  return outcomes.map((outcome) => {
    if (!("error" in outcome)) return isHexData(outcome.result) ? outcome.result : null;
    if (isContractFault(outcome.error)) return null;
    throw outcome.error;
  });
}

function isContractFault({ code }: NodeError): boolean {
  return CONTRACT_FAULTS.has(code) || code === "node-error";
}

function ethCall({ to, data }: ContractCall): StateCall {
  return { method: "eth_call", params: [{ to, data }] };
}
