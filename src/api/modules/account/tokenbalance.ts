import { z } from "zod";
import { getHolding } from "../../../store/holdings.ts";
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
    contractaddress: address({ invalid: "Invalid contractaddress format" }),
    address: address(ADDRESS_FORMAT),
  }),
  missing: listMissing,
  result: wire.decimal,
  example: {
    contractaddress: "0x5fbdb2315678afecb367f032d93f642f64180aa3",
    address: "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
  },
  async handle(context, { contractaddress, address: owner }) {
    const stored = await getHolding(context.sql, contractaddress, owner);
    if (!stored?.unsure) return ok(stored?.amount ?? "0");
    return ok(String(await readHolding(context, contractaddress, owner)));
  },
});
