import { z } from "zod";
import { type Action, defineAction } from "../../action.ts";
import { NO_RECORDS, okPage } from "../../envelope.ts";
import { readHolders } from "../../from-node/holders.ts";
import { paging, windowCheck } from "../../params.ts";
import * as wire from "../../wire.ts";
import { contractaddress } from "./contract-address.ts";

export const getTokenHolders = defineHolderList({
  name: "getTokenHolders",
  summary: "Holders of a token, the largest first",
  rows: 10,
  fields: ["address", "value"],
});

export const tokenholderlist = defineHolderList({
  name: "tokenholderlist",
  summary: "Holders of a token in Etherscan's form, the largest first",
  rows: 100,
  fields: ["TokenHolderAddress", "TokenHolderQuantity"],
  check: windowCheck(),
});

/** Declares a list of a token's holders, the largest first. `fields` names the owner and the amount in a record. */
function defineHolderList({
  rows,
  fields: [owner, amount],
  ...list
}: Pick<Action, "name" | "summary" | "check"> & { rows: number; fields: [string, string] }) {
  return defineAction({
    ...list,
    params: z.object({ contractaddress, ...paging(rows) }),
    result: z.array(z.object({ [owner]: wire.address, [amount]: wire.decimal })),
    empty: NO_RECORDS,
    example: { contractaddress: "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35" },
    cursor: "token",
    async handle(context, input) {
      const token = input.contractaddress;
      const { holders } = await readHolders(context, token, context.page, async () => null);
      return okPage(
        context.page,
        holders,
        (holder) => [holder.amount, holder.owner],
        (holder) => ({ [owner]: holder.owner, [amount]: holder.amount }),
      );
    },
  });
}
