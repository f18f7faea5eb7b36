import { z } from "zod";
import { defineAction } from "../../action.ts";
import { ok } from "../../envelope.ts";
import { readHolders } from "../../live/holders.ts";
import { offset, page, pageRange } from "../../params.ts";
import * as wire from "../../wire.ts";
import { contractaddress, NO_RECORDS } from "./contract-address.ts";

const ROWS = 10;

export const getTokenHolders = defineAction({
  name: "getTokenHolders",
  summary: "Holders of a token, the largest first",
  envelope: "explorer",
  params: z.object({ contractaddress, page, offset: offset(ROWS) }),
  result: z.array(z.object({ address: wire.address, value: wire.decimal })),
  empty: NO_RECORDS,
  example: { contractaddress: "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35" },
  async handle(context, input) {
    const { holders } = await readHolders(
      context,
      input.contractaddress,
      pageRange(input),
      async () => null,
    );
    return ok(holders.map(({ owner, amount }) => ({ address: owner, value: amount })));
  },
});
