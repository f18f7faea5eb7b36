import { z } from "zod";
import { isQuantity } from "../../../../core/evm/quantity.ts";
import { rpcError } from "../../envelope.ts";
import { GAS_NOT_ESTIMATED } from "../../gas/prices.ts";
import * as wire from "../../wire.ts";
import { defineProxyAction } from "./define.ts";
import { forward, isUnanswered } from "./forward.ts";

export const ethGasPrice = defineGasPrice(
  "eth_gasPrice",
  "Gas price in wei that the node estimates",
);

export const ethMaxPriorityFeePerGas = defineGasPrice(
  "eth_maxPriorityFeePerGas",
  "Tip in wei that the node estimates",
);

/** Declares a price that the node estimates. */
function defineGasPrice(name: string, summary: string) {
  return defineProxyAction({
    name,
    summary,
    params: z.object({}),
    result: wire.quantity,
    example: {},
    async handle(context) {
      const outcome = await forward<`0x${string}`>(context, { method: name, params: [] });
      if (outcome.kind === "ok" && isQuantity(outcome.result)) return outcome;
      return outcome.kind === "rpc-error" && isUnanswered(outcome.code)
        ? outcome
        : rpcError("loading", { code: -32_000, message: GAS_NOT_ESTIMATED });
    },
  });
}
