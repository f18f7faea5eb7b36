import { z } from "zod";
import { getBlockNumberAfter, getBlockNumberBefore } from "../../../store/blocks.ts";
import { defineAction } from "../../action.ts";
import { failed, ok } from "../../envelope.ts";
import { unixSeconds, word } from "../../params.ts";
import * as wire from "../../wire.ts";
import { BLOCK_UNKNOWN } from "./blockno.ts";

export const getblocknobytime = defineAction({
  name: "getblocknobytime",
  summary: "Number of the block nearest before or after a time",
  envelope: "explorer",
  params: z.object({
    timestamp: unixSeconds({
      required: "Query parameter 'timestamp' is required",
      invalid: "Invalid `timestamp` param",
    }),
    closest: word(["before", "after"], {
      required: "Query parameter 'closest' is required",
      invalid: "Invalid `closest` param",
    }),
  }),
  etherscanDefaults: { closest: "before" },
  result: {
    blockscout: z.object({ blockNumber: wire.decimal }),
    etherscan: wire.decimal,
  },
  example: { timestamp: "4000000000", closest: "before" },
  async handle({ sql, dialect }, { timestamp, closest }) {
    const find = closest === "before" ? getBlockNumberBefore : getBlockNumberAfter;
    const number = await find(sql, timestamp);
    if (number === undefined) return failed(BLOCK_UNKNOWN);
    const blockNumber = String(number);
    return ok(dialect === "etherscan" ? blockNumber : { blockNumber });
  },
});
