import { z } from "zod";
import type { Queryable } from "../../../../db/client.ts";
import { listMinedBlocks } from "../../../../store/blocks/blocks.ts";
import { listUnclesOfMiner } from "../../../../store/blocks/uncles.ts";
import { listWithdrawals, type WithdrawalEntry } from "../../../../store/blocks/withdrawals.ts";
import { type Funding, getFunding } from "../../../../store/state/addresses/funding.ts";
import { withHead } from "../../../reading/snapshot.ts";
import { defineAction } from "../../action.ts";
import { failed, NO_RECORDS, ok, okPage } from "../../envelope.ts";
import { readContracts } from "../../from-node/accounts.ts";
import { mayHaveBeenFunded, notIndexed } from "../../from-node/transactions/unindexed.ts";
import { address, blocksOf, text } from "../../params.ts";
import { inclusionReward, uncleReward, withdrawal } from "../../present/block.ts";
import * as wire from "../../wire.ts";
import { ADDRESS_FORMAT, allRows, listing, NO_TRANSACTIONS } from "./list.ts";

/** A block that an address mined, or an uncle; its reward is for Etherscan's dialect alone. */
interface Mined {
  key: number[];
  number: number;
  timestampSeconds: number;
  reward: bigint;
}

const mined = wire.defineRecords<Mined>(({ key }) => key)({
  both: {
    blockNumber: [wire.decimal, (row) => String(row.number)],
    timeStamp: [wire.decimal, (row) => String(row.timestampSeconds)],
  },
  etherscan: { blockReward: [wire.decimal, (row) => String(row.reward)] },
});

const received = wire.defineRecord<WithdrawalEntry>((row) => [
  row.blockNumber,
  row.withdrawalIndex,
])({
  ...withdrawal.fields,
  blockNumber: [wire.decimal, (row) => String(row.blockNumber)],
  timestamp: [wire.decimal, (row) => String(row.timestampSeconds)],
});

const funded = wire.defineRecord<Funding>()({
  block: [z.number(), (row) => row.blockNumber],
  timeStamp: [wire.decimal, (row) => String(row.timestampSeconds)],
  fundingAddress: [wire.address, (row) => row.from],
  fundingTxn: [wire.hash, (row) => row.transactionHash],
  value: [wire.decimal, (row) => row.value],
});

export const income = {
  getminedblocks: defineAction({
    summary: "Blocks with an address as their fee recipient, newest first",
    params: z.object({
      address: address(ADDRESS_FORMAT),
      ...allRows,
      blocktype: text({ invalid: "" })
        .optional()
        .catch(undefined)
        .describe("`blocks`, or the `uncles` that blocks include"),
    }),
    result: wire.listOf(mined),
    empty: { blockscout: "No blocks found", etherscan: NO_TRANSACTIONS },
    example: { address: "0x0000000000000000000000000000000000000000" },
    anyPage: true,
    cursor: "history",
    async handle({ read, dialect, staticReward, page }, input) {
      const areUncles = dialect === "etherscan" && input.blocktype === "uncles";
      const uncles = async (sql: Queryable): Promise<Mined[]> =>
        (await listUnclesOfMiner(sql, input.address, page)).map((uncle) => ({
          ...uncle,
          key: [uncle.number, uncle.blockNumber, uncle.position],
          reward: uncleReward(uncle, staticReward),
        }));
      const blocks = async (sql: Queryable): Promise<Mined[]> =>
        (await listMinedBlocks(sql, input.address, page)).map((block) => ({
          ...block,
          key: [block.number],
          reward:
            BigInt(block.reward) + staticReward + inclusionReward(block.uncleCount, staticReward),
        }));
      const rows = await read(areUncles ? uncles : blocks);
      return okPage(page, rows, mined[dialect]);
    },
  }),
  fundedby: defineAction({
    summary: "First transfer of value to an account, unless it is a contract",
    params: z.object({ address: address(ADDRESS_FORMAT) }),
    result: z.union([funded.schema, z.array(z.never())]),
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
      return ok(funded.present(funding));
    },
  }),
  txsBeaconWithdrawal: defineAction({
    summary: "Withdrawals from the consensus layer to an address",
    params: z.object({ address: address(ADDRESS_FORMAT), ...listing }),
    result: z.array(received.schema),
    empty: { blockscout: NO_RECORDS, etherscan: NO_TRANSACTIONS },
    example: { address: "0x976ea74026e726554db657fa54763abd0c3a0aa9" },
    cursor: "history",
    changesWithHead: true,
    async handle({ read, page, order }, input) {
      const filter = { address: input.address, blocks: blocksOf(input) };
      const rows = await read((sql) => listWithdrawals(sql, filter, order, page));
      return okPage(page, rows, received);
    },
  }),
};
