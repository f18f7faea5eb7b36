import { z } from "zod";
import type { Hex } from "../../../../core/evm/hex.ts";
import { isQuantity } from "../../../../core/evm/quantity.ts";
import { failed, rpcError } from "../../envelope.ts";
import { GAS_NOT_ESTIMATED } from "../../gas.ts";
import * as wire from "../../wire.ts";
import { address, callOf, callParameters, data, number, tagOrLatest } from "./arguments.ts";
import { defineProxyAction, forward, isUnanswered, type ProxyAction } from "./define.ts";

/** Methods that the node answers. */
export const nodeMethods = {
  eth_getTransactionCount: defineForwarded("eth_getTransactionCount", {
    summary: "Nonce of an account; `pending` also counts transactions in the node's pool",
    params: z.object({ address: address(0, "address"), tag: tagOrLatest(1) }),
    result: wire.quantity,
    example: { address: "0x976ea74026e726554db657fa54763abd0c3a0aa9" },
  }),
  eth_getCode: defineForwarded("eth_getCode", {
    summary: "Code of a contract",
    params: z.object({ address: address(0, "address"), tag: tagOrLatest(1) }),
    result: wire.data,
    example: { address: "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35" },
  }),
  eth_getStorageAt: defineForwarded("eth_getStorageAt", {
    summary: "A word of a contract's storage",
    params: z.object({
      address: address(0, "address"),
      position: number(1, "position").describe("Slot, in hex or in decimal digits"),
      tag: tagOrLatest(2),
    }),
    result: wire.data,
    example: { address: "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35", position: "0x0" },
  }),
  eth_call: defineProxyAction({
    summary: "What a call of a contract returns, without a transaction",
    params: z.object({ ...callParameters, tag: tagOrLatest(1) }),
    result: wire.data,
    example: { to: "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35", data: "0x18160ddd" },
    async handle(context, { tag, ...parameters }) {
      const call = callOf(parameters);
      if (!("to" in call || "data" in call)) {
        const text = "missing value for required argument 0";
        return failed("missing-parameter", text, { parameter: "to" });
      }
      return forward<Hex>(context, { method: "eth_call", params: [call, tag] });
    },
  }),
  eth_estimateGas: defineProxyAction({
    summary: "Gas that a transaction would need, as the node estimates it",
    params: z.object({ ...callParameters, tag: tagOrLatest(1) }),
    result: wire.quantity,
    example: { to: "0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc", value: "1" },
    handle: (context, { tag, ...parameters }) =>
      forward<Hex>(context, { method: "eth_estimateGas", params: [callOf(parameters), tag] }),
  }),
  eth_gasPrice: defineGasPrice("eth_gasPrice", "Gas price in wei that the node estimates"),
  eth_sendRawTransaction: defineProxyAction({
    summary: "Passes a signed transaction on to the node; returns its hash",
    params: z.object({ hex: data(0, "hex").describe("Signed transaction") }),
    result: wire.hash,
    example: { hex: "0x00" },
    async handle(context, { hex }) {
      if (!context.sendRawTransaction) {
        const message = "the method eth_sendRawTransaction does not exist/is not available";
        return rpcError("unknown-action", { code: -32_601, message });
      }
      return forward<Hex>(context, { method: "eth_sendRawTransaction", params: [hex] });
    },
  }),
  eth_maxPriorityFeePerGas: defineGasPrice(
    "eth_maxPriorityFeePerGas",
    "Tip in wei that the node estimates",
  ),
};

function defineForwarded<Params extends z.ZodObject, Result extends z.ZodType>(
  method: string,
  action: Omit<ProxyAction<Params, Result>, "dialect" | "envelope" | "emptyIsAbsent" | "handle">,
) {
  return defineProxyAction<Params, Result>({
    ...action,
    handle: (context, input) => forward(context, { method, params: Object.values(input) }),
  });
}

function defineGasPrice(method: string, summary: string) {
  return defineProxyAction({
    summary,
    params: z.object({}),
    result: wire.quantity,
    example: {},
    async handle(context) {
      const outcome = await forward<`0x${string}`>(context, { method, params: [] });
      if (outcome.kind === "ok" && isQuantity(outcome.result)) return outcome;
      return outcome.kind === "rpc-error" && isUnanswered(outcome.code)
        ? outcome
        : rpcError("loading", { code: -32_000, message: GAS_NOT_ESTIMATED });
    },
  });
}
