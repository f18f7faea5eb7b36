import type { ChainError } from "../../core/errors.ts";
import type { Address } from "../../core/evm/address.ts";
import { type Hex, isHexData } from "../../core/evm/hex.ts";
import { quantity } from "../../core/evm/quantity.ts";
import { isRecord } from "../../core/json/record.ts";
import type { ChainErrorCode } from "../errors/codes.ts";
import { NodeError } from "../errors/errors.ts";
import { errorIn, type Outcome, resultOf } from "../errors/outcomes.ts";
import type { AskOptions } from "../options.ts";
import type { BlockReference } from "../questions.ts";
import type { ReadPinned } from "./state.ts";

/** A contract creation to simulate; its effects are discarded. */
export interface CreationTrial {
  from: Address;
  initCode: Hex;
  /** In wei. */
  value: bigint;
  /** Contract called with the init code, in place of the creation. */
  to?: Address;
  gas?: bigint;
  /** In wei. */
  gasPrice?: bigint;
  /** State of some addresses in place of the block's. */
  stateOverride?: Readonly<Record<Address, AccountOverride>>;
}

/** Parts of an account; absent ones are as in the state. */
export interface AccountOverride {
  /** In wei. */
  balance?: bigint;
  nonce?: bigint;
  code?: Hex;
  /** Storage, replaced as a whole. */
  state?: Readonly<Record<Hex, Hex>>;
  /** Parts of the storage. */
  stateDiff?: Readonly<Record<Hex, Hex>>;
}

/** Fields of the block for a trial in place of its state's block, by geth's names. */
export type BlockOverrides = Readonly<Record<string, unknown>>;

/** Runs contract creations without sending them. */
export type CreationRunner = ReturnType<typeof createCreationRunner>;

/** Temporary errors of a node. Any other error means that it cannot run the creation. */
const PASSING: ReadonlySet<string> = new Set<ChainErrorCode>([
  "unreachable",
  "timeout",
  "rate-limited",
  "unavailable",
  "busy",
  "aborted",
]);

/** Returns whether the same question may succeed later. */
export function isPassing(error: ChainError): boolean {
  return PASSING.has(error.code);
}

/** Creates the runner. */
export function createCreationRunner(readPinned: ReadPinned) {
  return {
    /**
     * Returns the results of creations on the state of a block: null where one fails, or where the
     * node refuses it while it runs another. Throws `ChainError`, also when the node cannot
     * override.
     */
    runCreations: (
      trials: readonly CreationTrial[],
      block: BlockReference,
      blockOverrides?: BlockOverrides,
      options: AskOptions = {},
    ): Promise<(Hex | null)[]> =>
      readPinned(block, options, async ({ transport }) => {
        const calls = trials.map((trial) => {
          const state = encodeOverride(trial);
          const further = blockOverrides ? [state ?? {}, blockOverrides] : state ? [state] : [];
          const params = [callOf(trial), { blockHash: block.hash }, ...further];
          return { method: "eth_call", params };
        });
        return codesIn(await transport.ask(calls), (result) => result);
      }),
    /** As `runCreations`, on the state just before a transaction of the block, and with the fields of that block. */
    traceCreations: (
      trials: readonly CreationTrial[],
      block: BlockReference,
      transactionIndex: number,
      options: AskOptions = {},
    ): Promise<(Hex | null)[]> =>
      readPinned(block, options, async ({ transport }) => {
        const calls = trials.map((trial) => {
          const config = {
            tracer: "callTracer",
            tracerConfig: { onlyTopCall: true },
            txIndex: quantity(transactionIndex),
            stateOverrides: encodeOverride(trial) ?? {},
          };
          const params = [callOf(trial), { blockHash: block.hash }, config];
          return { method: "debug_traceCall", params };
        });
        return codesIn(await transport.ask(calls), (frame) =>
          isRecord(frame) && frame["error"] === undefined ? (frame["output"] ?? "0x") : null,
        );
      }),
  };
}

function callOf({ from, to, initCode, value, gas, gasPrice }: CreationTrial): object {
  return {
    from,
    data: initCode,
    ...(to && { to }),
    ...(value > 0n && { value: quantity(value) }),
    ...(gas !== undefined && { gas: quantity(gas) }),
    ...(gasPrice !== undefined && { gasPrice: quantity(gasPrice) }),
  };
}

function encodeOverride({ stateOverride }: CreationTrial): object | undefined {
  if (stateOverride === undefined) return undefined;
  const accounts = Object.entries(stateOverride).map(([address, { balance, nonce, ...others }]) => [
    address,
    {
      ...(balance !== undefined && { balance: quantity(balance) }),
      ...(nonce !== undefined && { nonce: quantity(nonce) }),
      ...others,
    },
  ]);
  return Object.fromEntries(accounts);
}

function codesIn(outcomes: Outcome[], codeIn: (result: unknown) => unknown): (Hex | null)[] {
  const errors = outcomes.flatMap((outcome) => errorIn(outcome) ?? []);
  const passing = errors.find(isPassing);
  if (passing) throw passing;
  const refused = errors.find(({ code }) => code !== "reverted" && code !== "out-of-gas");
  if (refused && errors.length === outcomes.length) throw refused;
  return outcomes.map((outcome) => {
    if ("error" in outcome) return null;
    const code = codeIn(resultOf(outcome));
    if (code !== null && !isHexData(code)) throw new NodeError("bad-answer", "no code");
    return code;
  });
}
