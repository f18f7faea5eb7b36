import { z } from "zod";
import { getBlockCounts } from "../../../../store/blocks/blocks.ts";
import { defineAction } from "../../action.ts";
import { ok } from "../../envelope.ts";
import { blockno, unknownBlock } from "./blockno.ts";

export const getblocktxnscount = defineAction({
  name: "getblocktxnscount",
  summary: "Transactions and transfers of a block, counted by kind",
  params: z.object({ blockno }),
  result: z.object({
    block: z.number(),
    txsCount: z.number(),
    internalTxsCount: z.number(),
    erc20TxsCount: z.number(),
    erc721TxsCount: z.number(),
    erc1155TxsCount: z.number(),
  }),
  example: { blockno: "1" },
  changesWithHead: true,
  async handle({ read }, input) {
    const { counts, head } = await read(async (sql, served) => ({
      counts: await getBlockCounts(sql, input.blockno),
      head: await served,
    }));
    if (!counts) return unknownBlock(head, input.blockno);
    return ok({
      block: counts.number,
      txsCount: counts.transactions,
      internalTxsCount: counts.internalTransactions,
      erc20TxsCount: counts.erc20Transfers,
      erc721TxsCount: counts.erc721Transfers,
      erc1155TxsCount: counts.erc1155Transfers,
    });
  },
});
