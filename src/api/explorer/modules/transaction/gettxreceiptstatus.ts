import { z } from "zod";
import { defineAction } from "../../action.ts";
import { ok } from "../../envelope.ts";
import { findTransaction } from "../../from-node/transactions/earlier-blocks.ts";
import { txhash } from "./txhash.ts";

export const gettxreceiptstatus = defineAction({
  name: "gettxreceiptstatus",
  summary: "Status of a transaction's receipt; empty when there is none",
  params: z.object({ txhash }),
  result: z.object({ status: z.enum(["0", "1", ""]) }),
  example: { txhash: "0xc8b2365468087f53736d1e781bfe9d08eab9b8993faa631b19cc2194321d6db8" },
  changesWithHead: true,
  async handle(context, { txhash }) {
    const { transaction, earlier } = await findTransaction(context, txhash);
    const status = transaction?.status ?? earlier?.["status"];
    if (status === undefined) return ok({ status: "" as const });
    return ok({ status: Number(status) === 1 ? ("1" as const) : ("0" as const) });
  },
});
