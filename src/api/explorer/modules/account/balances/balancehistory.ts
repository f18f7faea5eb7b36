import { z } from "zod";
import { defineAction } from "../../../action.ts";
import { ok } from "../../../envelope.ts";
import { atBlock, INVALID_BLOCK } from "../../../from-node/history.ts";
import { address, blockNumber, listMissing } from "../../../params.ts";
import * as wire from "../../../wire.ts";
import { ADDRESS_FORMAT } from "../list.ts";

export const balancehistory = defineAction({
  name: "balancehistory",
  summary: "Coin balance of an address in wei after a block, where the node still has that state",
  params: z.object({
    address: address(ADDRESS_FORMAT),
    blockno: blockNumber({ invalid: INVALID_BLOCK }),
  }),
  missing: listMissing,
  result: wire.decimal,
  example: { address: "0x976ea74026e726554db657fa54763abd0c3a0aa9", blockno: "10" },
  async handle(context, input) {
    return atBlock(
      context,
      input.blockno,
      async () => null,
      async (block) => {
        const [wei] = await context.chain.fetchCoinBalances([input.address], block);
        return ok(String(wei ?? 0n));
      },
    );
  },
});
