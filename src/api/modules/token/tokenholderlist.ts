import { z } from "zod";
import { defineAction } from "../../action.ts";
import { ok } from "../../envelope.ts";
import { readHolders } from "../../live/holders.ts";
import { offset, page, pageRange, windowCheck } from "../../params.ts";
import * as wire from "../../wire.ts";
import { contractaddress, NO_RECORDS } from "./contract-address.ts";

const ROWS = 100;

export const tokenholderlist = defineAction({
  name: "tokenholderlist",
  summary: "Holders of a token in Etherscan's form, the largest first",
  envelope: "explorer",
  params: z.object({ contractaddress, page, offset: offset(ROWS) }),
  result: z.array(
    z.object({ TokenHolderAddress: wire.address, TokenHolderQuantity: wire.decimal }),
  ),
  empty: NO_RECORDS,
  example: { contractaddress: "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35" },
  check: windowCheck(),
  async handle(context, input) {
    const { holders } = await readHolders(
      context,
      input.contractaddress,
      pageRange(input),
      async () => null,
    );
    return ok(
      holders.map(({ owner, amount }) => ({
        TokenHolderAddress: owner,
        TokenHolderQuantity: amount,
      })),
    );
  },
});
