import { z } from "zod";
import { listMinedBlocks } from "../../../../store/blocks/blocks.ts";
import { listUnclesOfMiner } from "../../../../store/blocks/uncles.ts";
import { defineAction } from "../../action.ts";
import { okPage } from "../../envelope.ts";
import { address, text } from "../../params.ts";
import { inclusionReward, uncleReward } from "../../present/uncle.ts";
import * as wire from "../../wire.ts";
import { ADDRESS_FORMAT, allRows, NO_TRANSACTIONS } from "./list.ts";

const record = z.object({ blockNumber: wire.decimal, timeStamp: wire.decimal });

export const getminedblocks = defineAction({
  name: "getminedblocks",
  summary: "Blocks with an address as their fee recipient, newest first",
  params: z.object({
    address: address(ADDRESS_FORMAT),
    ...allRows,
    blocktype: text({ invalid: "" })
      .optional()
      .catch(undefined)
      .describe("`blocks`, or the `uncles` that blocks include"),
  }),
  result: {
    blockscout: z.array(record),
    etherscan: z.array(record.extend({ blockReward: wire.decimal })),
  },
  empty: { blockscout: "No blocks found", etherscan: NO_TRANSACTIONS },
  example: { address: "0x0000000000000000000000000000000000000000" },
  cursor: "history",
  async handle({ read, dialect, staticReward, page }, input) {
    const isEtherscan = dialect === "etherscan";
    if (isEtherscan && input.blocktype === "uncles") {
      const uncles = await read((sql) => listUnclesOfMiner(sql, input.address, page));
      return okPage(
        page,
        uncles,
        ({ number, blockNumber, position }) => [number, blockNumber, position],
        (uncle) => ({
          blockNumber: String(uncle.number),
          timeStamp: String(uncle.timestampSeconds),
          blockReward: String(uncleReward(uncle, staticReward)),
        }),
      );
    }
    const blocks = await read((sql) => listMinedBlocks(sql, input.address, page));
    return okPage(
      page,
      blocks,
      ({ number }) => [number],
      ({ number, timestampSeconds, reward, uncleCount }) => ({
        blockNumber: String(number),
        timeStamp: String(timestampSeconds),
        ...(isEtherscan && {
          blockReward: String(
            BigInt(reward) + staticReward + inclusionReward(uncleCount, staticReward),
          ),
        }),
      }),
    );
  },
});
