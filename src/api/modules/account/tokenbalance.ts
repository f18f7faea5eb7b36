import { z } from "zod";
import { defineAction } from "../../action.ts";
import { ok } from "../../envelope.ts";
import { readHolding } from "../../live/holdings.ts";
import { address, listMissing } from "../../params.ts";
import * as wire from "../../wire.ts";
import { ADDRESS_FORMAT } from "./list.ts";

export const tokenbalance = defineAction({
  name: "tokenbalance",
  summary: "What an address holds of a token: an amount, or the number of tokens",
  envelope: "explorer",
  params: z.object({
    contractaddress: address({ invalid: "Invalid contractaddress format" }).describe(
      "Token contract",
    ),
    address: address(ADDRESS_FORMAT),
  }),
  missing: listMissing,
  result: wire.decimal,
  example: {
    contractaddress: "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35",
    address: "0x976ea74026e726554db657fa54763abd0c3a0aa9",
  },
  async handle(context, { contractaddress, address: owner }) {
    return ok(String(await readHolding(context, contractaddress, owner)));
  },
});
