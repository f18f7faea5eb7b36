import { z } from "zod";
import type { Hex } from "../../../../core/evm/hex.ts";
import * as wire from "../../wire.ts";
import { tagOrLatest } from "./arguments.ts";
import { callOf, callParameters } from "./call.ts";
import { defineProxyAction } from "./define.ts";
import { forward } from "./forward.ts";

const name = "eth_estimateGas";

export const ethEstimateGas = defineProxyAction({
  name,
  summary: "Gas that a transaction would need, as the node estimates it",
  params: z.object({ ...callParameters, tag: tagOrLatest(1) }),
  result: wire.quantity,
  example: { to: "0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc", value: "1" },
  async handle(context, { tag, ...parameters }) {
    return forward<Hex>(context, { method: name, params: [callOf(parameters), tag] });
  },
});
