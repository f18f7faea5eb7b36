import { z } from "zod";
import { defineAction } from "../../action.ts";
import { ok } from "../../envelope.ts";
import * as wire from "../../wire.ts";

export const ethsupplyexchange = defineAction({
  name: "ethsupplyexchange",
  summary:
    "Coin supply that a price source tells, in wei; aggregators on chain tell none, so it is 0",
  envelope: "explorer",
  params: z.object({}),
  result: wire.decimal,
  example: {},
  async handle() {
    return ok("0");
  },
});
