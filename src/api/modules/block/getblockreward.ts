import { z } from "zod";
import { getBlockReward } from "../../../store/blocks.ts";
import { defineAction } from "../../action.ts";
import { failed, ok } from "../../envelope.ts";
import * as wire from "../../wire.ts";
import { BLOCK_UNKNOWN, blockno } from "./blockno.ts";

const reward = z.object({
  blockNumber: wire.decimal,
  timeStamp: z.number(),
  blockMiner: wire.address,
  blockReward: wire.decimal,
  uncles: z.array(z.never()),
  uncleInclusionReward: wire.decimal,
});

export const getblockreward = defineAction({
  name: "getblockreward",
  summary: "Reward of a block: the fees that its recipient keeps",
  envelope: "explorer",
  params: z.object({ blockno }),
  result: {
    blockscout: reward,
    etherscan: reward.extend({ timeStamp: wire.decimal }),
  },
  example: { blockno: "1" },
  async handle({ sql, dialect, staticReward }, input) {
    const block = await getBlockReward(sql, input.blockno);
    if (!block) return failed(BLOCK_UNKNOWN);
    const record = {
      blockNumber: String(block.number),
      timeStamp: block.timestampSeconds,
      blockMiner: block.miner,
      blockReward: String(BigInt(block.reward) + staticReward),
      uncles: [],
      uncleInclusionReward: "0",
    };
    return ok(
      dialect === "etherscan" ? { ...record, timeStamp: String(record.timeStamp) } : record,
    );
  },
});
