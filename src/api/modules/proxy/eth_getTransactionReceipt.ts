import { z } from "zod";
import { getReceipt } from "../../../store/rpc-transactions.ts";
import { ok } from "../../envelope.ts";
import { presentReceipt } from "../../eth-rpc/transactions.ts";
import { hash } from "./arguments.ts";
import { defineProxyAction } from "./define.ts";

export const ethGetTransactionReceipt = defineProxyAction({
  name: "eth_getTransactionReceipt",
  summary: "Receipt of a transaction with its logs, once it is in a block",
  params: z.object({ txhash: hash(0) }),
  result: z.record(z.string(), z.unknown()).nullable(),
  example: { txhash: "0xc8b2365468087f53736d1e781bfe9d08eab9b8993faa631b19cc2194321d6db8" },
  changesWithHead: true,
  async handle({ read }, { txhash }) {
    const receipt = await read((sql) => getReceipt(sql, txhash));
    return ok(receipt ? presentReceipt(receipt) : null);
  },
});
