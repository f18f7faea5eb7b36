import type { CallParameters } from "viem";
import { call } from "../../core/deep-imports.ts";
import type { Address } from "../../core/evm/address.ts";
import { type Hex, isHexData } from "../../core/evm/hex.ts";
import { quantity } from "../../core/evm/quantity.ts";
import { nodeErrorIn } from "../errors/errors.ts";
import { resultOf } from "../errors/outcomes.ts";
import type { AskOptions } from "../options.ts";
import type { BlockReference } from "../questions.ts";
import type { NodeClient } from "../rpc/node-client.ts";
import type { ReadPinned } from "./state.ts";

/** A contract creation to simulate; its effects are discarded. */
export interface CreationTrial {
  from: Address;
  initCode: Hex;
  /** In wei. */
  value: bigint;
  /** Contract that makes the creation in place of `from`, called with the init code. */
  to?: Address;
  gas?: bigint;
  /** In wei. */
  gasPrice?: bigint;
}

/** Overrides of state and block for a trial. */
export type TrialOverrides = Pick<CallParameters, "stateOverride" | "blockOverrides">;

/** Runs contract creations without sending them. */
export type CreationRunner = ReturnType<typeof createCreationRunner>;

/** Creates the runner. */
export function createCreationRunner(readPinned: ReadPinned) {
  return {
    /** Returns the code of each creation on a block's state; null where it fails. Throws `ChainError`. */
    runCreations: (
      trials: readonly CreationTrial[],
      block: BlockReference,
      overrides: TrialOverrides = {},
      options: AskOptions = {},
    ): Promise<(Hex | null)[]> =>
      readPinned(block, options, (viem) =>
        Promise.all(trials.map((trial) => runOne(viem, trial, block.hash, overrides))),
      ),
    /** As `runCreations`, on the state before a transaction, with the addresses that the node computes. Throws `ChainError`. */
    traceCreations: (
      trials: readonly CreationTrial[],
      block: BlockReference,
      transactionIndex: number,
      { stateOverride = [] }: Pick<TrialOverrides, "stateOverride"> = {},
      options: AskOptions = {},
    ): Promise<({ code: Hex; address: Address } | null)[]> =>
      readPinned(block, options, async (viem) => {
        const outcomes = await viem.transport.ask(
          trials.map(({ from, initCode, value, gas, gasPrice }) => ({
            method: "debug_traceCall",
            params: [
              {
                from,
                data: initCode,
                ...(value > 0n && { value: quantity(value) }),
                ...(gas !== undefined && { gas: quantity(gas) }),
                ...(gasPrice !== undefined && { gasPrice: quantity(gasPrice) }),
              },
              { blockHash: block.hash },
              {
                tracer: "callTracer",
                txIndex: quantity(transactionIndex),
                stateOverrides: Object.fromEntries(
                  stateOverride.map(({ address, balance }) => [
                    address,
                    balance !== undefined && { balance: quantity(balance) },
                  ]),
                ),
              },
            ],
          })),
        );
        return outcomes.map((outcome) => {
          const frame = resultOf(outcome) as { output?: unknown; to?: unknown; error?: unknown };
          const { output, to, error } = frame ?? {};
          return error === undefined && isHexData(output) && isHexData(to)
            ? { code: output, address: to }
            : null;
        });
      }),
  };
}

async function runOne(
  viem: NodeClient,
  { from, to, initCode, value, gas, gasPrice }: CreationTrial,
  blockHash: Hex,
  overrides: TrialOverrides,
): Promise<Hex | null> {
  try {
    const { data } = await call(viem, {
      account: from,
      data: initCode,
      blockHash,
      ...(to && { to }),
      ...(value > 0n && { value }),
      ...(gas !== undefined && { gas }),
      ...(gasPrice !== undefined && { gasPrice }),
      ...overrides,
    });
    return data ?? "0x";
  } catch (thrown) {
    const code = nodeErrorIn(thrown)?.code;
    if (code === "reverted" || code === "out-of-gas") return null;
    throw thrown;
  }
}
