import { z } from "zod";
import { type Action, defineAction } from "../../action.ts";
import { NO_RECORDS, ok } from "../../envelope.ts";
import { readHolders } from "../../live/holders.ts";
import { offset, page, pageRange } from "../../params.ts";
import * as wire from "../../wire.ts";
import { contractaddress } from "./contract-address.ts";

/** Declares a list of a token's holders, the largest first. `fields` names the owner and the amount in a record. */
export function defineHolderList({
  rows,
  fields: [owner, amount],
  ...list
}: Pick<Action, "name" | "summary" | "check"> & { rows: number; fields: [string, string] }) {
  return defineAction({
    ...list,
    envelope: "explorer",
    params: z.object({ contractaddress, page, offset: offset(rows) }),
    result: z.array(z.object({ [owner]: wire.address, [amount]: wire.decimal })),
    empty: NO_RECORDS,
    example: { contractaddress: "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35" },
    async handle(context, input) {
      const token = input.contractaddress;
      const { holders } = await readHolders(context, token, pageRange(input), async () => null);
      return ok(holders.map((holder) => ({ [owner]: holder.owner, [amount]: holder.amount })));
    },
  });
}
