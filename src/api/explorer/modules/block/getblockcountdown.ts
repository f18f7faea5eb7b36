import { z } from "zod";
import { divideRounded, formatRounded } from "../../../../core/decimal.ts";
import { getBlockPace } from "../../../../store/blocks/blocks.ts";
import { STILL_INDEXING } from "../../../reading/snapshot.ts";
import { defineAction } from "../../action.ts";
import { failed, ok } from "../../envelope.ts";
import { unsigned } from "../../params.ts";
import * as wire from "../../wire.ts";
import { BLOCKNO_TEXTS } from "./blockno.ts";

export const getblockcountdown = defineAction({
  name: "getblockcountdown",
  summary: "Estimated time until a block, at the pace of the newest 100",
  params: z.object({ blockno: unsigned(BLOCKNO_TEXTS).describe("Number of a block to come") }),
  result: z.object({
    CurrentBlock: wire.decimal,
    CountdownBlock: wire.decimal,
    RemainingBlock: wire.decimal,
    EstimateTimeInSec: z.string().regex(/^\d+\.\d$/),
  }),
  example: { blockno: "1000000000" },
  changesWithHead: true,
  async handle({ read }, { blockno }) {
    const pace = await read(getBlockPace);
    if (!pace) return failed("loading", STILL_INDEXING);
    const remaining = blockno - BigInt(pace.headNumber);
    if (remaining <= 0n)
      return failed("invalid-parameter", "Error! Block number already pass", {
        parameter: "blockno",
      });
    if (pace.distances === 0) return failed("loading", STILL_INDEXING);
    const tenths = divideRounded(remaining * BigInt(pace.seconds) * 10n, BigInt(pace.distances));
    return ok({
      CurrentBlock: String(pace.headNumber),
      CountdownBlock: String(blockno),
      RemainingBlock: String(remaining),
      EstimateTimeInSec: formatRounded(tenths, 1, 1),
    });
  },
});
