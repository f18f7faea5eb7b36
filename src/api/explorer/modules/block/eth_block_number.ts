import { z } from "zod";
import { quantity } from "../../../../core/evm/quantity.ts";
import { readHeadNumber } from "../../../reading/snapshot.ts";
import { defineAction } from "../../action.ts";
import { ok } from "../../envelope.ts";
import { text } from "../../params.ts";
import * as wire from "../../wire.ts";

export const ethBlockNumber = defineAction({
  name: "eth_block_number",
  summary: "Number of the newest indexed block",
  envelope: "json-rpc",
  params: z.object({
    id: text({ invalid: "Invalid id" })
      .optional()
      .catch(undefined)
      .describe("Given back in the answer"),
  }),
  result: wire.quantity,
  example: {},
  servedWhileLoading: true,
  changesWithHead: true,
  async handle({ read }) {
    return ok(quantity(await readHeadNumber(read)));
  },
});
