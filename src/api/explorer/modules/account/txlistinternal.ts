import { z } from "zod";
import { isHash, lowerHex } from "../../../../core/evm/hex.ts";
import type { Queryable } from "../../../../db/client.ts";
import {
  type InternalTransactionEntry,
  listInternalTransactionsOfAddress,
  listInternalTransactionsOfBlocks,
  listInternalTransactionsOfTransaction,
} from "../../../../store/lists/internal-transactions.ts";
import { defineAction } from "../../action.ts";
import { nameCalls } from "../../call-names.ts";
import { failed, okPage } from "../../envelope.ts";
import { fetchEarlierReceipt, notIndexed } from "../../from-node/transactions/earlier-blocks.ts";
import { address, blocksOf, flag, MAXIMUM_OFFSET, side, text, windowCheck } from "../../params.ts";
import {
  internalTransactionRecord,
  presentInternalTransaction,
} from "../../present/internal-transaction.ts";
import { ADDRESS_FORMAT, listing, NO_TRANSACTIONS, orderOf, whoOf, withParties } from "./list.ts";

const INVALID_HASH = "Invalid txhash format";

const params = z.object({
  address: address(ADDRESS_FORMAT)
    .optional()
    .describe("Caller or receiver; all are listed when `txhash` is absent too"),
  txhash: text({ invalid: INVALID_HASH })
    .optional()
    .describe("Transaction; ignored when an address is given"),
  ...listing,
  filter_by: side,
  include_zero_value: flag("`true`: also those that moved no coins"),
  names: flag("`true`: adds the called functions by name, from verified ABIs"),
});

export const txlistinternal = defineAction({
  name: "txlistinternal",
  summary: "Internal transactions of an address, of a transaction, or of a range of blocks",
  params,
  etherscanParams: withParties(params),
  result: {
    blockscout: z.array(internalTransactionRecord.blockscout),
    etherscan: z.array(internalTransactionRecord.etherscan),
  },
  empty: { blockscout: "No internal transactions found", etherscan: NO_TRANSACTIONS },
  example: { startblock: "0" },
  check: windowCheck(),
  cursor: "history",
  changesWithHead: true,
  asksForSources: ({ names }) => names,
  async handle({ read, chain, dialect, page }, input) {
    const order = orderOf(input.sort, dialect);
    const filter = { includeZeroValue: input.include_zero_value, blocks: blocksOf(input) };
    const who = whoOf(input);
    const hash = isHash(input.txhash) ? lowerHex(input.txhash) : undefined;
    const listOf = (): ((sql: Queryable) => Promise<InternalTransactionEntry[]>) | undefined => {
      // With an address any hash is ignored, even an invalid one.
      if (who) {
        return (sql) => listInternalTransactionsOfAddress(sql, { ...filter, ...who }, order, page);
      }
      if (input.txhash === undefined) {
        return (sql) => listInternalTransactionsOfBlocks(sql, filter, order, page);
      }
      const all = page.after ? page : { limit: MAXIMUM_OFFSET, skip: 0 };
      return (
        hash && ((sql) => listInternalTransactionsOfTransaction(sql, hash, filter, order, all))
      );
    };
    const list = listOf();
    if (!list) return failed("invalid-parameter", INVALID_HASH, { parameter: "txhash" });
    const { frames, head } = await read(
      async (sql, served) => ({
        frames: await nameFrames(sql, await list(sql), input.names),
        head: await served,
      }),
      "statements of one head",
    );
    const wanted = who || frames.length > 0 ? undefined : hash;
    if (wanted && (await fetchEarlierReceipt(chain, wanted, head))) {
      return failed("not-found", notIndexed(head));
    }
    return okPage(
      page,
      frames,
      ({ entry: { row } }) => [row.blockNumber, row.transactionIndex, row.position],
      ({ entry, call }) =>
        presentInternalTransaction(
          entry.row,
          dialect,
          input.names ? (call?.functionName ?? "") : undefined,
        ),
    );
  },
});

function nameFrames(sql: Queryable, rows: readonly InternalTransactionEntry[], isAsked: boolean) {
  const frames = rows.map((row) => ({ row, mayBeNamed: isAsked && row.type === "call" }));
  return nameCalls(sql, frames, ({ row: { to, input } }) => ({ to, input: input ?? "0x" }));
}
