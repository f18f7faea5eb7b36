import { z } from "zod";
import { isQuantity } from "../../../../core/evm/quantity.ts";
import { isRecord } from "../../../../core/json/record.ts";
import type { TransactionDetail } from "../../../../store/lists/transactions.ts";
import { defineAction } from "../../action.ts";
import { ok } from "../../envelope.ts";
import { findTransaction } from "../../from-node/transactions/earlier-blocks.ts";
import * as wire from "../../wire.ts";
import { txhash } from "./txhash.ts";

export const getstatus = defineAction({
  name: "getstatus",
  summary: "Whether a transaction failed, and why",
  params: z.object({ txhash }),
  result: z.object({ isError: wire.flag, errDescription: z.string() }),
  example: { txhash: "0xc8b2365468087f53736d1e781bfe9d08eab9b8993faa631b19cc2194321d6db8" },
  changesWithHead: true,
  async handle(context, { txhash }) {
    const { transaction, earlier } = await findTransaction(context, txhash);
    if (earlier?.["status"] === "0x0") {
      const sent = await context.chain.request("eth_getTransactionByHash", [txhash]);
      const { gas } = isRecord(sent) ? sent : {};
      const { gasUsed } = earlier;
      const known = isQuantity(gas) && isQuantity(gasUsed);
      const errDescription = known ? deduceError({ error: null, gas, gasUsed }) : "";
      return ok({ isError: "1" as const, errDescription });
    }
    if (transaction?.succeeded !== false) return ok({ isError: "0" as const, errDescription: "" });
    return ok({ isError: "1" as const, errDescription: deduceError(transaction) });
  },
});

/** Returns the error: without a trace only the gas shows it, since a revert leaves some, and any other error uses all of it. */
function deduceError({
  error,
  gas,
  gasUsed,
}: Pick<TransactionDetail, "error" | "gas" | "gasUsed">): string {
  return error ?? (BigInt(gasUsed) < BigInt(gas) ? "execution reverted" : "out of gas");
}
