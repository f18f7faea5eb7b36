import { z } from "zod";
import * as wire from "../../wire.ts";
import { address, tagOrLatest } from "./arguments.ts";
import { defineForwarded } from "./forward.ts";

export const ethGetTransactionCount = defineForwarded({
  name: "eth_getTransactionCount",
  summary: "Nonce of an account; `pending` also counts transactions in the node's pool",
  params: z.object({ address: address(0, "address"), tag: tagOrLatest(1) }),
  result: wire.quantity,
  example: { address: "0x976ea74026e726554db657fa54763abd0c3a0aa9" },
});
