import { z } from "zod";
import { type Hex, isHash, lowerHex } from "../../../../core/evm/hex.ts";
import { getBlock } from "../../../../store/blocks/block-details.ts";
import { listUnclesOfBlock } from "../../../../store/blocks/uncles.ts";
import { listWithdrawalsOfBlock } from "../../../../store/blocks/withdrawals.ts";
import type { ServedHead } from "../../../../store/sync-state.ts";
import { defineAction } from "../../action.ts";
import { ok } from "../../envelope.ts";
import { text } from "../../params.ts";
import { blockRecord, presentBlock } from "../../present/block.ts";
import { presentWithdrawal, withdrawalRecord } from "../../present/withdrawal.ts";
import * as wire from "../../wire.ts";
import { unknownBlock } from "./blockno.ts";

const TEXTS = { required: "Query parameter 'block' is required", invalid: "Invalid block" };
const LATEST = "latest";
/** At most fifteen digits: no chain has more, and all of them are exact. */
const NUMBER = /^\d{1,15}$/;

const block = text(TEXTS)
  .refine((value) => value === LATEST || NUMBER.test(value) || isHash(value), TEXTS.invalid)
  .describe("Number or hash of a block, or `latest`");

export const getblock = defineAction({
  name: "getblock",
  summary: "A block by number or hash, with its withdrawals and uncles",
  params: z.object({ block }),
  result: blockRecord.extend({
    withdrawals: z.array(withdrawalRecord),
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
      const isAsked = head.startBlock > 0 && named.hash !== undefined;
      const header = isAsked ? await chain.fetchHeader(named.hash) : null;
      return unknownBlock(head, named.number ?? header?.number);
    }
    return ok({
      ...presentBlock(found),
      withdrawals: withdrawals.map(presentWithdrawal),
      uncles: uncles.map(({ number, timestampSeconds, miner }) => ({
        blockNumber: String(number),
        timeStamp: String(timestampSeconds),
        miner,
      })),
    });
  },
});

function nameOf(
  value: string,
  head: ServedHead,
): { number: number; hash?: undefined } | { hash: Hex; number?: undefined } {
  if (value === LATEST) return { number: head.number };
  return isHash(value) ? { hash: lowerHex(value) } : { number: Number(value) };
}
