import { z } from "zod";
import type { Hex } from "../../../../core/evm/hex.ts";
import { failed } from "../../envelope.ts";
import * as wire from "../../wire.ts";
import { tagOrLatest } from "./arguments.ts";
import { callOf, callParameters } from "./call.ts";
import { defineProxyAction } from "./define.ts";
import { forward } from "./forward.ts";

const name = "eth_call";

export const ethCall = defineProxyAction({
  name,
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
    return forward<Hex>(context, { method: name, params: [call, tag] });
  },
});
