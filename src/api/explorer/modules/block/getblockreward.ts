import { z } from "zod";
import { getBlock } from "../../../../store/blocks/block-details.ts";
import { listUnclesOfBlock } from "../../../../store/blocks/uncles.ts";
import { defineAction } from "../../action.ts";
import { ok } from "../../envelope.ts";
import { inclusionReward, uncleReward } from "../../present/uncle.ts";
import * as wire from "../../wire.ts";
import { blockno, unknownBlock } from "./blockno.ts";

const reward = z.object({
  blockNumber: wire.decimal,
  timeStamp: z.number(),
  blockMiner: wire.address,
  blockReward: wire.decimal,
  uncles: z.array(
    z.object({
      unclePosition: wire.decimal,
      miner: wire.address,
      blockreward: wire.decimal,
    }),
  ),
  uncleInclusionReward: wire.decimal,
});

export const getblockreward = defineAction({
  name: "getblockreward",
  summary: "Reward of a block: the fees that its recipient keeps",
  params: z.object({ blockno }),
  result: {
    blockscout: reward,
    etherscan: reward.extend({ timeStamp: wire.decimal }),
  },
  example: { blockno: "1" },
  async handle({ read, dialect, staticReward }, input) {
    const { block, uncles, head } = await read(async (sql, served) => ({
      block: await getBlock(sql, { number: input.blockno }),
      uncles: await listUnclesOfBlock(sql, input.blockno),
      head: await served,
    }));
    if (!block) return unknownBlock(head, input.blockno);
    const uncleInclusionReward = inclusionReward(uncles.length, staticReward);
    const record = {
      blockNumber: String(block.number),
      timeStamp: block.timestampSeconds,
      blockMiner: block.miner,
      blockReward: String(BigInt(block.reward) + staticReward + uncleInclusionReward),
      uncles: uncles.map((uncle, position) => ({
        unclePosition: String(position),
        miner: uncle.miner,
        blockreward: String(uncleReward(uncle, staticReward)),
      })),
      uncleInclusionReward: String(uncleInclusionReward),
    };
    return ok(
      dialect === "etherscan" ? { ...record, timeStamp: String(record.timeStamp) } : record,
    );
  },
});
