import { z } from "zod";
import { quantity } from "../../../../../core/evm/quantity.ts";
import { getSignedTransactionAt } from "../../../../../store/lists/rpc-transactions.ts";
import { presentTransaction } from "../../../../eth-rpc/transactions.ts";
import { index, tag } from "../arguments.ts";
import { defineProxyAction } from "../define.ts";
import { ofIndexedBlock } from "./indexed-block.ts";

const name = "eth_getTransactionByBlockNumberAndIndex";
/** More than a block holds. */
const MAXIMUM_INDEX = 2 ** 31 - 1;

export const ethGetTransactionByBlockNumberAndIndex = defineProxyAction({
  name,
  summary: "A transaction by its place in a block",
  params: z.object({ tag: tag(0), index: index(1) }),
  result: z.record(z.string(), z.unknown()).nullable(),
  example: { tag: "0x1", index: "0x0" },
  async handle(context, { tag: block, index: place }) {
    return ofIndexedBlock<Record<string, unknown> | null>(
      context,
      block,
      async (sql, number) => {
        const position = Math.min(Number.parseInt(place, 16), MAXIMUM_INDEX);
        const found = await getSignedTransactionAt(sql, number, position);
        if (!found) return undefined;
        const { transaction } = found;
        return { result: transaction && presentTransaction(transaction, context.chainId()) };
      },
      (number) => ({ method: name, params: [number, quantity(place)] }),
    );
  },
});
