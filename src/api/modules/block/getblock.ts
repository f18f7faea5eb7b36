import { z } from "zod";
import { isHash, lowerHex } from "../../../core/hex.ts";
import { getBlock } from "../../../store/block-details.ts";
import type { ServedHead } from "../../../store/sync-state.ts";
import { listUnclesOfBlock } from "../../../store/uncles.ts";
import { listWithdrawalsOfBlock } from "../../../store/withdrawals.ts";
import { defineAction } from "../../action.ts";
import { failed, ok } from "../../envelope.ts";
import { text } from "../../params.ts";
import { blockRecord, presentBlock } from "../../present/block.ts";
import { presentWithdrawal, withdrawalRecord } from "../../present/withdrawal.ts";
import * as wire from "../../wire.ts";
import { BLOCK_UNKNOWN } from "./blockno.ts";

const TEXTS = { required: "Query parameter 'block' is required", invalid: "Invalid block" };
const LATEST = "latest";
/** Of fifteen digits at most: no chain has more, and all of them are exact. */
const NUMBER = /^\d{1,15}$/;

const block = text(TEXTS)
  .refine((value) => value === LATEST || NUMBER.test(value) || isHash(value), TEXTS.invalid)
  .describe("Number or hash of a block, or `latest`");

export const getblock = defineAction({
  name: "getblock",
  summary: "A block by number or hash, with its withdrawals and uncles",
  envelope: "explorer",
  params: z.object({ block }),
  result: blockRecord.extend({
    withdrawals: z.array(withdrawalRecord),
    uncles: z.array(
      z.object({ blockNumber: wire.decimal, timeStamp: wire.decimal, miner: wire.address }),
    ),
  }),
  example: { block: LATEST },
  changesWithHead: true,
  async handle({ read }, input) {
    const answer = await read(async (sql, head) => {
      const found = await getBlock(sql, await nameOf(input.block, head));
      if (!found) return undefined;
      const withdrawals = await listWithdrawalsOfBlock(sql, found.number);
      return { found, withdrawals, uncles: await listUnclesOfBlock(sql, found.number) };
    });
    if (!answer) return failed(BLOCK_UNKNOWN);
    return ok({
      ...presentBlock(answer.found),
      withdrawals: answer.withdrawals.map(presentWithdrawal),
      uncles: answer.uncles.map(({ number, timestampSeconds, miner }) => ({
        blockNumber: String(number),
        timeStamp: String(timestampSeconds),
        miner,
      })),
    });
  },
});

async function nameOf(value: string, head: PromiseLike<ServedHead>) {
  if (value === LATEST) return { number: (await head).number };
  return isHash(value) ? { hash: lowerHex(value) } : { number: Number(value) };
}
