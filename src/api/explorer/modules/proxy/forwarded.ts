import { z } from "zod";
import type { Action } from "../../action.ts";
import * as wire from "../../wire.ts";
import { address, number, tagOrLatest } from "./arguments.ts";
import { defineProxyAction } from "./define.ts";
import { forward } from "./forward.ts";

export const ethGetTransactionCount = defineForwarded({
  name: "eth_getTransactionCount",
  summary: "Nonce of an account; `pending` also counts transactions in the node's pool",
  params: z.object({ address: address(0, "address"), tag: tagOrLatest(1) }),
  result: wire.quantity,
  example: { address: "0x976ea74026e726554db657fa54763abd0c3a0aa9" },
});

export const ethGetCode = defineForwarded({
  name: "eth_getCode",
  summary: "Code of a contract",
  params: z.object({ address: address(0, "address"), tag: tagOrLatest(1) }),
  result: wire.data,
  example: { address: "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35" },
});

export const ethGetStorageAt = defineForwarded({
  name: "eth_getStorageAt",
  summary: "A word of a contract's storage",
  params: z.object({
    address: address(0, "address"),
    position: number(1, "position").describe("Slot, in hex or in decimal digits"),
    tag: tagOrLatest(2),
  }),
  result: wire.data,
  example: { address: "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35", position: "0x0" },
});

/** Declares an action answered by the node: its parameters are the method's, in their order. */
function defineForwarded<Params extends z.ZodObject, Result extends z.ZodType>(
  action: Omit<Action<Params, Result>, "dialect" | "envelope" | "emptyIsAbsent" | "handle">,
): Action<Params, Result> {
  return defineProxyAction<Params, Result>({
    ...action,
    handle: (context, input) =>
      forward(context, { method: action.name, params: Object.values(input) }),
  });
}
