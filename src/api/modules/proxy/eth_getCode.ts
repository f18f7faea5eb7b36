import { z } from "zod";
import * as wire from "../../wire.ts";
import { address, tagOrLatest } from "./arguments.ts";
import { defineForwarded } from "./forward.ts";

export const ethGetCode = defineForwarded({
  name: "eth_getCode",
  summary: "Code of a contract",
  params: z.object({ address: address(0, "address"), tag: tagOrLatest(1) }),
  result: wire.data,
  example: { address: "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35" },
});
