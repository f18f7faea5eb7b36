import { z } from "zod";
import { getSignedTransaction } from "../../../store/rpc-transactions.ts";
import { ok } from "../../envelope.ts";
import { presentTransaction } from "../../eth-rpc/transactions.ts";
import { withoutUnservedBlock } from "../../live/mempool.ts";
import { hash } from "./arguments.ts";
import { defineProxyAction } from "./define.ts";
import { forward } from "./forward.ts";

const name = "eth_getTransactionByHash";

export const ethGetTransactionByHash = defineProxyAction({
  name,
  summary: "A transaction, mined or in the node's pool",
  params: z.object({ txhash: hash(0) }),
  result: z.record(z.string(), z.unknown()).nullable(),
  example: { txhash: "0xc8b2365468087f53736d1e781bfe9d08eab9b8993faa631b19cc2194321d6db8" },
  async handle(context, { txhash }) {
    const { transaction, head } = await context.read(async (sql, served) => ({
      transaction: await getSignedTransaction(sql, txhash),
      head: await served,
    }));
    if (transaction) return ok(presentTransaction(transaction, context.chainId()));
    const call = { method: name, params: [txhash] };
    const outcome = await forward<Record<string, unknown> | null>(context, call);
    if (outcome.kind !== "ok" || outcome.result === null) return outcome;
    return ok(withoutUnservedBlock(outcome.result, head));
  },
});
