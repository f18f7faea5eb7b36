import { z } from "zod";
import { defineAction } from "../../action.ts";
import { ok } from "../../envelope.ts";
import * as wire from "../../wire.ts";
import { withCoinSupply } from "./known-supply.ts";

export const ethsupply = defineAction({
  name: "ethsupply",
  summary: "Sum of all coin balances in wei",
  envelope: "explorer",
  params: z.object({}),
  result: wire.decimal,
  example: {},
  handle({ read }) {
    return read((sql) => withCoinSupply(sql, ({ total }) => ok(total)));
  },
});
