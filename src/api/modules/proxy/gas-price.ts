import { z } from "zod";
import { isQuantity } from "../../../core/quantity.ts";
import { rpcError } from "../../envelope.ts";
import { GAS_NOT_ESTIMATED } from "../../gas/prices.ts";
import * as wire from "../../wire.ts";
import { defineProxyAction } from "./define.ts";
import { forward, isUnanswered } from "./forward.ts";

/** Declares a price that the node estimates. */
export function defineGasPrice(name: string, summary: string) {
  return defineProxyAction({
    name,
    summary,
    params: z.object({}),
    result: wire.quantity,
    example: {},
    async handle(context) {
      const outcome = await forward<`0x${string}`>(context, { method: name, params: [] });
      if (outcome.kind === "ok" && isQuantity(outcome.result)) return outcome;
      return outcome.kind === "rpc-error" && isUnanswered(outcome.error)
        ? outcome
        : rpcError({ code: -32_000, message: GAS_NOT_ESTIMATED });
    },
  });
}
