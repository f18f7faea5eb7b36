import { z } from "zod";
import { defineAction } from "../../action.ts";
import { ok } from "../../envelope.ts";
import { readHolderCount } from "../../from-node/holders.ts";
import * as wire from "../../wire.ts";
import { contractaddress } from "./contract-address.ts";

export const tokenholdercount = defineAction({
  name: "tokenholdercount",
  summary: "Number of holders of a token",
  params: z.object({ contractaddress }),
  result: wire.decimal,
  example: { contractaddress: "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35" },
  async handle(context, input) {
    return ok(String(await readHolderCount(context, input.contractaddress)));
  },
});
