import { z } from "zod";
import { listMinedBlocks } from "../../../../store/blocks/blocks.ts";
import { listUnclesOfMiner } from "../../../../store/blocks/uncles.ts";
import { listWithdrawals } from "../../../../store/blocks/withdrawals.ts";
import { getFunding } from "../../../../store/state/addresses/funding.ts";
import { withHead } from "../../../reading/snapshot.ts";
import { defineAction } from "../../action.ts";
import { failed, NO_RECORDS, ok, okPage } from "../../envelope.ts";
import { readContracts } from "../../from-node/accounts.ts";
import { mayHaveBeenFunded, notIndexed } from "../../from-node/transactions/earlier-blocks.ts";
import { address, blocksOf, text, windowCheck } from "../../params.ts";
import {
  inclusionReward,
  presentWithdrawal,
  uncleReward,
  withdrawalRecord,
} from "../../present/block.ts";
import * as wire from "../../wire.ts";
import { ADDRESS_FORMAT, allRows, listing, NO_TRANSACTIONS, orderOf } from "./list.ts";

const record = z.object({ blockNumber: wire.decimal, timeStamp: wire.decimal });

const getminedblocks = defineAction({
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

const txsBeaconWithdrawal = defineAction({
  name: "txsBeaconWithdrawal",
  summary: "Withdrawals from the consensus layer to an address",
  params: z.object({ address: address(ADDRESS_FORMAT), ...listing }),
  result: z.array(withdrawalRecord.extend({ blockNumber: wire.decimal, timestamp: wire.decimal })),
  empty: { blockscout: NO_RECORDS, etherscan: NO_TRANSACTIONS },
  example: { address: "0x976ea74026e726554db657fa54763abd0c3a0aa9" },
  check: windowCheck(),
  cursor: "history",
  changesWithHead: true,
  async handle({ read, dialect, page }, input) {
    const filter = { address: input.address, blocks: blocksOf(input) };
    const order = orderOf(input.sort, dialect);
    const rows = await read((sql) => listWithdrawals(sql, filter, order, page));
    return okPage(
      page,
      rows,
      ({ blockNumber, withdrawalIndex }) => [blockNumber, withdrawalIndex],
      (row) => ({
        ...presentWithdrawal(row),
        blockNumber: String(row.blockNumber),
        timestamp: String(row.timestampSeconds),
      }),
    );
  },
});

const fundedby = defineAction({
  name: "fundedby",
  summary: "First transfer of value to an account, unless it is a contract",
  params: z.object({ address: address(ADDRESS_FORMAT) }),
  result: z.union([
    z.object({
      block: z.number(),
      timeStamp: wire.decimal,
      fundingAddress: wire.address,
      fundingTxn: wire.hash,
      value: wire.decimal,
    }),
    z.array(z.never()),
  ]),
  empty: NO_RECORDS,
  example: { address: "0x976ea74026e726554db657fa54763abd0c3a0aa9" },
  async handle(context, input) {
    const { found: funding, head } = await withHead(context.read, (sql) =>
      getFunding(sql, input.address),
    );
    if (!funding) return ok([]);
    const presence = { address: input.address, isContract: funding.codeUnknown ? null : false };
    if ((await readContracts(context, [presence], head)).size > 0) return ok([]);
    if (await mayHaveBeenFunded(context.chain, input.address, head))
      return failed("not-found", notIndexed(head));
    return ok({
      block: funding.blockNumber,
      timeStamp: String(funding.timestampSeconds),
      fundingAddress: funding.from,
      fundingTxn: funding.transactionHash,
      value: funding.value,
    });
  },
});

export const income = [getminedblocks, fundedby, txsBeaconWithdrawal];
