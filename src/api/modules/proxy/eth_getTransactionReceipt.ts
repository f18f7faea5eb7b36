import { z } from "zod";
import { getReceipt } from "../../../store/rpc-transactions.ts";
import { ok } from "../../envelope.ts";
import { presentReceipt } from "../../eth-rpc/transactions.ts";
import { earlierReceipt } from "../../live/earlier-blocks.ts";
import { hash } from "./arguments.ts";
import { defineProxyAction } from "./define.ts";
import { forward } from "./forward.ts";

const name = "eth_getTransactionReceipt";

export const ethGetTransactionReceipt = defineProxyAction({
  name,
  summary: "Receipt of a transaction with its logs, once it is in a block",
  params: z.object({ txhash: hash(0) }),
  result: z.record(z.string(), z.unknown()).nullable(),
  example: { txhash: "0xc8b2365468087f53736d1e781bfe9d08eab9b8993faa631b19cc2194321d6db8" },
  async handle(context, { txhash }) {
    const { receipt, head } = await context.read(async (sql, served) => ({
      receipt: await getReceipt(sql, txhash),
      head: await served,
    }));
    if (receipt) return ok(presentReceipt(receipt));
    if (head.startBlock === 0) return ok(null);
    const outcome = await forward(context, { method: name, params: [txhash] });
    return outcome.kind === "ok" ? ok(earlierReceipt(outcome.result, head)) : outcome;
  },
});
