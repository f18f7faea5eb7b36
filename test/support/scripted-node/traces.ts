import type { Address } from "../../../src/core/evm/address.ts";
import type { Hex } from "../../../src/core/evm/hex.ts";
import { quantity } from "../../../src/core/evm/quantity.ts";
import type { CallSpecification } from "./specification.ts";

/** A frame as `callTracer` shows it. */
export interface CallTracerFrame {
  type: string;
  from: Address;
  to?: Address;
  value: Hex;
  gas: Hex;
  gasUsed: Hex;
  input: Hex;
  output?: Hex;
  error?: string;
  calls?: CallTracerFrame[];
}

/** The frames of a call and of those below it, as `callTracer` shows them. */
export function callTracerFrame(call: CallSpecification): CallTracerFrame {
  const { type = "CALL", from, to, valueWei = 0n, input = "0x", output, error, calls } = call;
  return {
    type,
    from,
    ...(to === undefined ? {} : { to }),
    value: quantity(valueWei),
    gas: "0x7530",
    gasUsed: "0x64",
    input,
    ...(output === undefined ? {} : { output }),
    ...(error === undefined ? {} : { error }),
    ...(calls === undefined ? {} : { calls: calls.map(callTracerFrame) }),
  };
}

/** The same frames as `trace_block` shows them: flat, in the order of their execution. */
export function flatFrames(
  frame: CallTracerFrame,
  place: Readonly<Record<string, unknown>>,
  traceAddress: readonly number[] = [],
): object[] {
  const { calls = [], error } = frame;
  const own = {
    ...partsOf(frame),
    ...place,
    ...(error === undefined ? {} : { error, result: null }),
    subtraces: calls.length,
    traceAddress,
  };
  return [
    own,
    ...calls.flatMap((call, index) => flatFrames(call, place, [...traceAddress, index])),
  ];
}

function partsOf({
  type,
  from,
  to,
  value,
  gas,
  gasUsed,
  input,
  output = "0x",
}: CallTracerFrame): object {
  const kind = type.toLowerCase();
  switch (kind) {
    case "create":
    case "create2":
      return {
        type: "create",
        action: { from, value, gas, init: input, creationMethod: kind },
        result: { address: to, code: output, gasUsed },
      };
    case "selfdestruct":
      return {
        type: "suicide",
        action: { address: from, refundAddress: to, balance: value },
        result: null,
      };
    default:
      return {
        type: "call",
        action: { callType: kind, from, to, value, gas, input },
        result: { gasUsed, output },
      };
  }
}
