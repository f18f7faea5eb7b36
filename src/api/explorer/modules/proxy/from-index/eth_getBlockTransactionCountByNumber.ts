import { z } from "zod";
import { quantity } from "../../../../../core/evm/quantity.ts";
import { getBlock } from "../../../../../store/blocks/block-details.ts";
import * as wire from "../../../wire.ts";
import { tag } from "../arguments.ts";
import { defineProxyAction } from "../define.ts";
import { ofIndexedBlock } from "./indexed-block.ts";

const name = "eth_getBlockTransactionCountByNumber";

export const ethGetBlockTransactionCountByNumber = defineProxyAction({
  name,
  summary: "Number of transactions in a block",
  params: z.object({ tag: tag(0) }),
  result: wire.quantity.nullable(),
  example: { tag: "0x1" },
  async handle(context, input) {
    return ofIndexedBlock(
      context,
      input.tag,
      async (sql, number) => {
        const found = await getBlock(sql, { number });
        return found && { result: quantity(found.transactionCount) };
      },
      (block) => ({ method: name, params: [block] }),
    );
  },
});
