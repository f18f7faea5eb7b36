import { z } from "zod";
import { defineAction } from "../../action.ts";
import { ok } from "../../envelope.ts";
import * as wire from "../../wire.ts";
import { knownCoinSupply } from "./coin-supply.ts";

export const ethsupply = defineAction({
  name: "ethsupply",
  summary: "Sum of all coin balances in wei, 0 while some are still to be read",
  envelope: "explorer",
  params: z.object({}),
  result: wire.decimal,
  example: {},
  async handle({ sql }) {
    const { total } = await knownCoinSupply(sql);
    return ok(total);
  },
});
