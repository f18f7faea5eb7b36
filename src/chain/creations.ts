import type { Address } from "../core/address.ts";
import { type Hex, isHexData } from "../core/hex.ts";
import { quantity } from "../core/quantity.ts";
import type { AskOptions, BlockReference } from "./chain.ts";
import type { Features } from "./features.ts";
import type { NodeOutcome } from "./node.ts";
import { errorIn, type RpcClient, resultOf } from "./rpc-client.ts";
import { readAt, type StateCall } from "./state-pinning.ts";

/** A contract creation to be tried: nothing of it lasts. */
export interface CreationTrial {
  from: Address;
  initCode: Hex;
  /** In wei. */
  value: bigint;
}

/** What a trial finds in the place of the state it is run on. */
export interface TrialOverrides {
  /** Of the creator: from it follows the address. */
  nonce?: bigint;
  /** Of the creator, in wei. */
  balance?: bigint;
  blockNumber?: number;
  timestampSeconds?: number;
}

/** Runs contract creations without sending them. */
export interface CreationRunner {
  /**
   * The code that each creation returns on the state of a block; null where it fails. Throws `ChainError`, also when
   * the node cannot override.
   */
  runCreations(
    trials: readonly CreationTrial[],
    block: BlockReference,
    overrides?: TrialOverrides,
    options?: AskOptions,
  ): Promise<(Hex | null)[]>;
  /**
   * As `runCreations`, on the state just before a transaction of the block, with the addresses that the node says the
   * contracts would have: a node that passes over the transaction tells others. Throws `ChainError` when the node
   * cannot trace calls.
   */
  traceCreations(
    trials: readonly CreationTrial[],
    block: BlockReference,
    transactionIndex: number,
    options?: AskOptions,
  ): Promise<({ code: Hex; address: Address } | null)[]>;
}

/** Creates the runner over the nodes of a client. */
export function createCreationRunner(client: RpcClient, features: Features): CreationRunner {
  async function readAll(
    calls: readonly StateCall[],
    block: BlockReference,
    options: AskOptions,
  ): Promise<NodeOutcome[]> {
    return client.onNode(options, async (node, ask) =>
      readAt(block, calls, ask, await features.learn(node)),
    );
  }

  return {
    runCreations: async (trials, block, overrides = {}, options = {}) => {
      const calls = trials.map((trial) => ({
        method: "eth_call",
        params: [callOf(trial)],
        rest: overrideParameters(trial.from, overrides),
      }));
      return (await readAll(calls, block, options)).map((outcome) => {
        if (errorIn(outcome)?.code === "reverted") return null;
        const code = resultOf(outcome);
        return isHexData(code) ? code : null;
      });
    },
    traceCreations: async (trials, block, transactionIndex, options = {}) => {
      const calls = trials.map((trial) => ({
        method: "debug_traceCall",
        params: [callOf(trial)],
        rest: [{ tracer: "callTracer", txIndex: quantity(transactionIndex) }],
      }));
      return (await readAll(calls, block, options)).map((outcome) => {
        const frame = resultOf(outcome) as { output?: unknown; to?: unknown; error?: unknown };
        const { output, to, error } = frame ?? {};
        return error === undefined && isHexData(output) && isHexData(to)
          ? { code: output, address: to }
          : null;
      });
    },
  };
}

function callOf({ from, initCode, value }: CreationTrial) {
  return { from, data: initCode, ...(value > 0n && { value: quantity(value) }) };
}

/** State overrides and block overrides, as go-ethereum takes them behind the block of eth_call. */
function overrideParameters(
  from: Address,
  { nonce, balance, blockNumber, timestampSeconds }: TrialOverrides,
): unknown[] {
  const account = {
    ...(nonce !== undefined && { nonce: quantity(nonce) }),
    ...(balance !== undefined && { balance: quantity(balance) }),
  };
  const block = {
    ...(blockNumber !== undefined && { number: quantity(blockNumber) }),
    ...(timestampSeconds !== undefined && { time: quantity(timestampSeconds) }),
  };
  if (Object.keys(block).length > 0) return [{ [from]: account }, block];
  return Object.keys(account).length > 0 ? [{ [from]: account }] : [];
}
