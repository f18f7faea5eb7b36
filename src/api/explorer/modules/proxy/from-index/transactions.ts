import { z } from "zod";
import { findReceipt, findTransaction } from "../../../../eth-rpc/transactions.ts";
import { createForward } from "../../../forwarding.ts";
import { hash } from "../arguments.ts";
import { defineProxyAction } from "../define.ts";
import { outcomeOf } from "../forward.ts";

export const ethGetTransactionByHash = defineTransaction(
  "eth_getTransactionByHash",
  "A transaction, mined or in the node's pool",
  findTransaction,
);

export const ethGetTransactionReceipt = defineTransaction(
  "eth_getTransactionReceipt",
  "Receipt of a transaction with its logs, once it is in a block",
  findReceipt,
);

/** Declares an action with the result of `find` for a transaction. */
function defineTransaction(name: string, summary: string, find: typeof findTransaction) {
  return defineProxyAction({
    name,
    summary,
    params: z.object({ txhash: hash(0) }),
    result: z.record(z.string(), z.unknown()).nullable(),
    example: { txhash: "0xc8b2365468087f53736d1e781bfe9d08eab9b8993faa631b19cc2194321d6db8" },
    handle: async (context, { txhash }) =>
      outcomeOf(await find(context, txhash, createForward(context.chain))),
  });
}
