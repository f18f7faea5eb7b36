import { z } from "zod";
import { divideRounded, formatRounded } from "../../../../core/decimal.ts";
import { findBlockNumber, getBlockPace } from "../../../../store/blocks/blocks.ts";
import { STILL_INDEXING, withHead } from "../../../reading/snapshot.ts";
import { defineAction } from "../../action.ts";
import { failed, ok } from "../../envelope.ts";
import { notIndexed } from "../../from-node/transactions/earlier-blocks.ts";
import { unixSeconds, unsigned, word } from "../../params.ts";
import * as wire from "../../wire.ts";
import { BLOCKNO_TEXTS, unknownBlock } from "./blocks.ts";

const getblockcountdown = defineAction({
  name: "getblockcountdown",
  summary: "Estimated time until a block, at the pace of the newest 100",
  params: z.object({ blockno: unsigned(BLOCKNO_TEXTS).describe("Number of a future block") }),
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

const getblocknobytime = defineAction({
  name: "getblocknobytime",
  summary: "Number of the block nearest before or after a time",
  params: z.object({
    timestamp: unixSeconds({
      required: "Query parameter 'timestamp' is required",
      invalid: "Invalid `timestamp` param",
    }).describe("Unix seconds"),
    closest: word(["before", "after"], {
      required: "Query parameter 'closest' is required",
      invalid: "Invalid `closest` param",
    }).describe("The newest block `before` that time, or the oldest `after` it"),
  }),
  etherscanDefaults: { closest: "before" },
  result: {
    blockscout: z.object({ blockNumber: wire.decimal }),
    etherscan: wire.decimal,
  },
  example: { timestamp: "4000000000", closest: "before" },
  changesWithHead: true,
  async handle({ read, dialect }, { timestamp, closest }) {
    const { found: number, head } = await withHead(read, (sql) =>
      findBlockNumber(sql, timestamp, closest),
    );
    // An older block that is not indexed may be nearer than the first indexed one.
    const isCertain = closest === "before" ? number !== undefined : number !== head.startBlock;
    if (head.startBlock > 0 && !isCertain) return failed("not-found", notIndexed(head));
    if (number === undefined) return unknownBlock(head);
    const blockNumber = String(number);
    return ok(dialect === "etherscan" ? blockNumber : { blockNumber });
  },
});

export const blockTimes = [getblockcountdown, getblocknobytime];
