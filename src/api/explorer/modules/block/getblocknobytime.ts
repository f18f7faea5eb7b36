import { z } from "zod";
import { getBlockNumberAfter, getBlockNumberBefore } from "../../../../store/blocks/blocks.ts";
import { defineAction } from "../../action.ts";
import { failed, ok } from "../../envelope.ts";
import { notIndexed } from "../../from-node/transactions/earlier-blocks.ts";
import { unixSeconds, word } from "../../params.ts";
import * as wire from "../../wire.ts";
import { unknownBlock } from "./blockno.ts";

export const getblocknobytime = defineAction({
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
    const find = closest === "before" ? getBlockNumberBefore : getBlockNumberAfter;
    const { number, head } = await read(async (sql, served) => ({
      number: await find(sql, timestamp),
      head: await served,
    }));
    // The first indexed block is the first one after a time only where the index has all before it.
    const found = closest === "before" ? number !== undefined : number !== head.startBlock;
    if (head.startBlock > 0 && !found) return failed("not-found", notIndexed(head));
    if (number === undefined) return unknownBlock(head);
    const blockNumber = String(number);
    return ok(dialect === "etherscan" ? blockNumber : { blockNumber });
  },
});
