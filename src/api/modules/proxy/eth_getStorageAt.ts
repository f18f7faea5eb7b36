import { z } from "zod";
import * as wire from "../../wire.ts";
import { address, number, tagOrLatest } from "./arguments.ts";
import { defineForwarded } from "./forward.ts";

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
