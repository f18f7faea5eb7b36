import type { Address, Hex } from "viem";
import { zeroAddress } from "viem";
import { callData, word } from "./contracts.ts";

/** The kinds of contracts/Machine.sol, in its order. */
const KINDS = [
  "call",
  "callOrRevert",
  "delegateCall",
  "staticCall",
  "callCode",
  "create",
  "create2",
  "selfDestruct",
  "log",
  "revert",
  "revertWithReason",
  "revertWithError",
  "panic",
  "invalid",
  "burnGas",
  "store",
] as const;

/** One thing that a machine does. Fields without a meaning for the kind are left out. */
export interface Operation {
  kind: (typeof KINDS)[number];
  target?: Address;
  value?: bigint;
  /** Gas of a call; all that is left when absent. */
  gasLimit?: bigint;
  salt?: Hex;
  data?: Hex;
  topics?: readonly Hex[];
}

/** Call data that makes a machine do these things, one after the other. */
export function run(operations: readonly Operation[]): Hex {
  const encoded = operations.map((operation) => ({
    kind: KINDS.indexOf(operation.kind),
    target: operation.target ?? zeroAddress,
    value: operation.value ?? 0n,
    gasLimit: operation.gasLimit ?? 0n,
    salt: operation.salt ?? word(0),
    data: operation.data ?? "0x",
    topics: operation.topics ?? [],
  }));
  return callData("Machine", "run", encoded);
}

/** Init code that leaves this runtime code, at most 32 bytes of it. */
export function initCodeOf(runtime: Hex): Hex {
  const size = (runtime.length - 2) / 2;
  const push = (0x5f + size).toString(16);
  const byte = (value: number): string => value.toString(16).padStart(2, "0");
  return `0x${push}${runtime.slice(2)}60005260${byte(size)}60${byte(32 - size)}f3`;
}

/** Init codes of every ending a creation can have. */
export const INIT_CODES = {
  stops: initCodeOf("0x00"),
  /** Its code gives everything to any caller, and is destroyed. */
  selfDestructs: initCodeOf("0x33ff"),
  empty: "0x",
  reverts: "0x60006000fd",
  revertsWithData: "0x63deadbeef6000526004601cfd",
  invalid: "0xfe",
  badJump: "0x6000565b",
  stackUnderflow: "0x01",
  runsOutOfGas: "0x5b600056",
  startsWithEf: "0x60ef60005360016000f3",
  tooLarge: "0x6160016000f3",
  destroysItself: "0x33ff",
} as const satisfies Record<string, Hex>;
