import { z } from "zod";
import { defineAction } from "../../action.ts";
import { ok } from "../../envelope.ts";
import * as wire from "../../wire.ts";

export const ethsupplyexchange = defineAction({
  name: "ethsupplyexchange",
  summary:
    "Coin supply from a price source, in wei; always 0, since on-chain aggregators have none",
  envelope: "explorer",
  params: z.object({}),
  result: wire.decimal,
  example: {},
  async handle() {
    return ok("0");
  },
});
