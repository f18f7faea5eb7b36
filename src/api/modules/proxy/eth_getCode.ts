import { z } from "zod";
import type { Hex } from "../../../core/hex.ts";
import * as wire from "../../wire.ts";
import { address, tagOrLatest } from "./arguments.ts";
import { defineProxyAction } from "./define.ts";
import { forward } from "./forward.ts";

const name = "eth_getCode";

export const ethGetCode = defineProxyAction({
  name,
  summary: "Code of a contract",
  params: z.object({ address: address(0, "address"), tag: tagOrLatest(1) }),
  result: wire.data,
  example: { address: "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35" },
  async handle(context, input) {
    return forward<Hex>(context, { method: name, params: [input.address, input.tag] });
  },
});
