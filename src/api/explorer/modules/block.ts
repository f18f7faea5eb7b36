import { z } from "zod";
import { divideRounded, formatRounded } from "../../../core/decimal.ts";
import { isHash, lowerHex } from "../../../core/evm/hex.ts";
import { quantity } from "../../../core/evm/quantity.ts";
import {
  type BlockCounts,
  findBlockNumber,
  getBlock,
  getBlockCounts,
  getBlockPace,
  listBlocks,
} from "../../../store/blocks/blocks.ts";
import { listUnclesOfBlock } from "../../../store/blocks/uncles.ts";
import { listWithdrawalsOfBlock } from "../../../store/blocks/withdrawals.ts";
import type { ServedHead } from "../../../store/sync-state.ts";
import { readHeadNumber, STILL_INDEXING, withHead } from "../../reading/snapshot.ts";
import { defineAction } from "../action.ts";
import { type Failure, failed, NO_RECORDS, ok, okPage } from "../envelope.ts";
import { notIndexed } from "../from-node/transactions/unindexed.ts";
import {
  blockBounds,
  blockNumber,
  blocksOf,
  paging,
  text,
  unixSeconds,
  unsigned,
  word,
} from "../params.ts";
import { block, inclusionReward, uncleReward, withdrawal } from "../present/block.ts";
import { l1FeesPaid } from "../present/transaction.ts";
import * as wire from "../wire.ts";

/** Texts of the parameter `blockno` in this module. */
const BLOCKNO_TEXTS = {
  required: "Query parameter 'blockno' is required",
  invalid: "Invalid block number",
};

const BLOCK_UNKNOWN = "Block does not exist";

const blockno = blockNumber(BLOCKNO_TEXTS);

const TEXTS = { required: "Query parameter 'block' is required", invalid: "Invalid block" };
const LATEST = "latest";
/** At most fifteen digits: no chain has more, and all of them are exact. */
const NUMBER = /^\d{1,15}$/;

const named = text(TEXTS)
  .refine((value) => value === LATEST || NUMBER.test(value) || isHash(value), TEXTS.invalid)
  .describe("Number or hash of a block, or `latest`");

const ROWS = 25;
const MOST_ROWS = 1000;

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

const counted = wire.defineRecord<BlockCounts>()({
  block: [z.number(), (row) => row.number],
  txsCount: [z.number(), (row) => row.transactions],
  internalTxsCount: [z.number(), (row) => row.internalTransactions],
  erc20TxsCount: [z.number(), (row) => row.erc20Transfers],
  erc721TxsCount: [z.number(), (row) => row.erc721Transfers],
  erc1155TxsCount: [z.number(), (row) => row.erc1155Transfers],
});

export const blocks = {
  eth_block_number: defineAction({
    summary: "Number of the newest indexed block",
    envelope: "json-rpc",
    params: z.object({
      id: text({ invalid: "Invalid id" })
        .optional()
        .catch(undefined)
        .describe("Repeated in the answer"),
    }),
    result: wire.quantity,
    example: {},
    servedWhileLoading: true,
    changesWithHead: true,
    async handle({ read }) {
      return ok(quantity(await readHeadNumber(read)));
    },
  }),
  getblock: defineAction({
    summary: "A block by number or hash, with its withdrawals and uncles",
    params: z.object({ block: named }),
    result: block.schema.extend({
      L1FeesPaid: l1FeesPaid.optional(),
      withdrawals: z.array(withdrawal.schema),
      uncles: z.array(
        z.object({ blockNumber: wire.decimal, timeStamp: wire.decimal, miner: wire.address }),
      ),
    }),
    example: { block: LATEST },
    changesWithHead: true,
    async handle({ read, chain }, input) {
      const { found, withdrawals, uncles, named, head } = await read(async (sql, served) => {
        const head = await served;
        const named = nameOf(input.block, head);
        const found = await getBlock(sql, named);
        const withdrawals = found ? await listWithdrawalsOfBlock(sql, found.number) : [];
        const uncles = found ? await listUnclesOfBlock(sql, found.number) : [];
        return { found, withdrawals, uncles, named, head };
      });
      if (!found) {
        const mayBeEarlier = head.startBlock > 0 && named.hash !== undefined;
        const header = mayBeEarlier ? await chain.fetchHeader(named.hash) : null;
        return unknownBlock(head, named.number ?? header?.number);
      }
      return ok({
        ...block.present(found),
        ...(head.l1FeesFrom !== null && {
          L1FeesPaid: found.number < head.l1FeesFrom ? "" : (found.l1Fees ?? "0"),
        }),
        withdrawals: withdrawals.map(withdrawal.present),
        uncles: uncles.map(({ number, timestampSeconds, miner }) => ({
          blockNumber: String(number),
          timeStamp: String(timestampSeconds),
          miner,
        })),
      });
    },
  }),
  listblocks: defineAction({
    summary: "Blocks, newest first",
    params: z.object({ ...paging(ROWS, MOST_ROWS), ...blockBounds }),
    result: z.array(block.schema),
    empty: { blockscout: "No blocks found", etherscan: NO_RECORDS },
    example: {},
    cursor: "history",
    changesWithHead: true,
    async handle({ read, page }, input) {
      const found = await read((sql) => listBlocks(sql, blocksOf(input), page));
      return okPage(page, found, block);
    },
  }),
  getblockreward: defineAction({
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
  }),
  getblocktxnscount: defineAction({
    summary: "Transactions and transfers of a block, counted by kind",
    params: z.object({ blockno }),
    result: counted.schema,
    example: { blockno: "1" },
    changesWithHead: true,
    async handle({ read }, input) {
      const { found: counts, head } = await withHead(read, (sql) =>
        getBlockCounts(sql, input.blockno),
      );
      if (!counts) return unknownBlock(head, input.blockno);
      return ok(counted.present(counts));
    },
  }),
  getblockcountdown: defineAction({
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
  }),
  getblocknobytime: defineAction({
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
  }),
};

/** Returns the failure for a block that is not indexed; `number` shows if it is before the first indexed one. */
function unknownBlock(head: ServedHead, number?: number): Failure {
  const isEarlier = number !== undefined && number < head.startBlock;
  return failed("not-found", isEarlier ? notIndexed(head) : BLOCK_UNKNOWN);
}

function nameOf(value: string, head: ServedHead) {
  if (value === LATEST) return { number: head.number };
  return isHash(value) ? { hash: lowerHex(value) } : { number: Number(value) };
}
