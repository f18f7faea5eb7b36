import { z } from "zod";
import type { Hex } from "../../../../core/evm/hex.ts";
import { rpcError } from "../../envelope.ts";
import * as wire from "../../wire.ts";
import { data } from "./arguments.ts";
import { defineProxyAction } from "./define.ts";
import { forward } from "./forward.ts";

const name = "eth_sendRawTransaction";

export const ethSendRawTransaction = defineProxyAction({
  name,
  summary: "Passes a signed transaction on to the node; returns its hash",
  params: z.object({ hex: data(0, "hex").describe("Signed transaction") }),
  result: wire.hash,
  example: { hex: "0x00" },
  async handle(context, { hex }) {
    if (!context.sendRawTransaction) {
      return rpcError("unknown-action", {
        code: -32_601,
        message: `the method ${name} does not exist/is not available`,
      });
    }
    return forward<Hex>(context, { method: name, params: [hex] });
  },
});
