import { z } from "zod";
import type { Queryable } from "../../../../db/client.ts";
import { getToken } from "../../../../store/state/tokens/token.ts";
import { defineAction } from "../../action.ts";
import { failed, ok } from "../../envelope.ts";
import { answered } from "../../from-node/answered.ts";
import { atBlock, INVALID_BLOCK } from "../../from-node/history.ts";
import { address, blockNumber, listMissing } from "../../params.ts";
import * as wire from "../../wire.ts";

export const tokensupplyhistory = defineAction({
  name: "tokensupplyhistory",
  summary: "Total supply of a token after a block, where the node still has the state of that time",
  params: z.object({
    contractaddress: address({ invalid: "Invalid contract address format" }).describe(
      "Token contract",
    ),
    blockno: blockNumber({ invalid: INVALID_BLOCK }),
  }),
  missing: listMissing,
  result: wire.decimal.nullable(),
  example: { contractaddress: "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35", blockno: "10" },
  async handle(context, { contractaddress, blockno }) {
    const find = async (sql: Queryable) =>
      (await getToken(sql, contractaddress)) ?? failed("not-found", "Contract address not found");
    return atBlock(context, blockno, find, async (block) => {
      const [read] = await context.chain.fetchTotalSupplies([contractaddress], block);
      return ok(answered(read)?.toString() ?? null);
    });
  },
});
