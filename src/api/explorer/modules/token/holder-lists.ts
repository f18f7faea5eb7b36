import { z } from "zod";
import { type Action, defineAction } from "../../action.ts";
import { NO_RECORDS, ok, okPage } from "../../envelope.ts";
import { INVALID_BLOCK } from "../../from-node/history.ts";
import { readHolders } from "../../from-node/holders.ts";
import { readPastHolders } from "../../from-node/past-holders.ts";
import { blockNumber, paging, windowCheck } from "../../params.ts";
import * as wire from "../../wire.ts";
import { contractaddress } from "./contract-address.ts";

export const getTokenHolders = defineHolderList({
  name: "getTokenHolders",
  summary: "Holders of a token, the largest first",
  rows: 10,
  fields: ["address", "value"],
  atBlock: {
    blockno: blockNumber({ invalid: INVALID_BLOCK })
      .optional()
      .describe(
        "Block to list the holders after, where the node still has that state; default: the newest",
      ),
  },
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
  atBlock = {},
  ...list
}: Pick<Action, "name" | "summary" | "check"> & {
  rows: number;
  fields: [string, string];
  atBlock?: { blockno?: z.ZodType<number | undefined> };
}) {
  return defineAction({
    ...list,
    params: z.object({ contractaddress, ...paging(rows), ...atBlock }),
    result: z.array(z.object({ [owner]: wire.address, [amount]: wire.decimal })),
    empty: NO_RECORDS,
    example: { contractaddress: "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35" },
    cursor: "token",
    async handle(context, input) {
      const token = input.contractaddress;
      const { blockno } = input as { blockno?: number };
      const listed =
        blockno === undefined
          ? ok((await readHolders(context, token, context.page, async () => null)).holders)
          : await readPastHolders(context, token, blockno);
      if (listed.kind !== "ok") return listed;
      return okPage(
        context.page,
        listed.result,
        (holder) => [holder.amount, holder.owner],
        (holder) => ({ [owner]: holder.owner, [amount]: holder.amount }),
      );
    },
  });
}
