import { z } from "zod";
import { quantity } from "../../../core/quantity.ts";
import { getServedHead } from "../../../store/sync-state.ts";
import { defineAction } from "../../action.ts";
import { ok } from "../../envelope.ts";
import { text } from "../../params.ts";
import * as wire from "../../wire.ts";

export const ethBlockNumber = defineAction({
  name: "eth_block_number",
  summary: "Number of the newest indexed block",
  envelope: "json-rpc",
  params: z.object({ id: text({ invalid: "Invalid id" }).optional().catch(undefined) }),
  result: wire.quantity,
  example: {},
  servedWhileLoading: true,
  async handle({ sql }) {
    const head = await getServedHead(sql);
    return ok(quantity(head?.number ?? 0));
  },
});
