import { z } from "zod";
import type { Hex } from "../../../core/hex.ts";
import * as wire from "../../wire.ts";
import { address, tagOrLatest } from "./arguments.ts";
import { defineProxyAction } from "./define.ts";
import { forward } from "./forward.ts";

const name = "eth_getTransactionCount";

export const ethGetTransactionCount = defineProxyAction({
  name,
  summary: "Nonce of an account; `pending` also counts transactions in the node's pool",
  params: z.object({ address: address(0, "address"), tag: tagOrLatest(1) }),
  result: wire.quantity,
  example: { address: "0x976ea74026e726554db657fa54763abd0c3a0aa9" },
  async handle(context, input) {
    return forward<Hex>(context, { method: name, params: [input.address, input.tag] });
  },
});
