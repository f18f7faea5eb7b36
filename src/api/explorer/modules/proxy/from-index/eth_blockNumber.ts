import { z } from "zod";
import { quantity } from "../../../../../core/evm/quantity.ts";
import { readHeadNumber } from "../../../../reading/snapshot.ts";
import { ok } from "../../../envelope.ts";
import * as wire from "../../../wire.ts";
import { defineProxyAction } from "../define.ts";

export const ethBlockNumber = defineProxyAction({
  name: "eth_blockNumber",
  summary: "Number of the head that is served",
  params: z.object({}),
  result: wire.quantity,
  example: {},
  servedWhileLoading: true,
  changesWithHead: true,
  async handle({ read }) {
    return ok(quantity(await readHeadNumber(read)));
  },
});
