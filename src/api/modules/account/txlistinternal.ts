import { z } from "zod";
import { isHash, lowerHex } from "../../../core/hex.ts";
import {
  type InternalTransactionEntry,
  listInternalTransactionsOfAddress,
  listInternalTransactionsOfBlocks,
  listInternalTransactionsOfTransaction,
} from "../../../store/internal-transactions.ts";
import { defineAction } from "../../action.ts";
import { failed, ok } from "../../envelope.ts";
import { address, flag, pageRange, side, text, windowCheck } from "../../params.ts";
import {
  internalTransactionRecord,
  presentInternalTransaction,
} from "../../present/internal-transaction.ts";
import { ADDRESS_FORMAT, blocksOf, listing, NO_TRANSACTIONS, orderOf } from "./list.ts";
import { whoOf, withParties } from "./parties.ts";

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
});

export const txlistinternal = defineAction({
  name: "txlistinternal",
  summary: "Internal transactions of an address, of a transaction, or of a range of blocks",
  envelope: "explorer",
  params,
  etherscanParams: withParties(params),
  result: {
    blockscout: z.array(internalTransactionRecord.blockscout),
    etherscan: z.array(internalTransactionRecord.etherscan),
  },
  empty: { blockscout: "No internal transactions found", etherscan: NO_TRANSACTIONS },
  example: { startblock: "0" },
  check: windowCheck(),
  changesWithHead: true,
  async handle({ read, dialect }, input) {
    const order = orderOf(input.sort, dialect);
    const filter = { includeZeroValue: input.include_zero_value, blocks: blocksOf(input) };
    const page = pageRange(input);
    const present = (rows: readonly InternalTransactionEntry[]) =>
      ok(rows.map((row) => presentInternalTransaction(row, dialect)));
    // With an address any hash is ignored, even an invalid one.
    const who = whoOf(input);
    if (who) {
      const ofAddress = { ...filter, ...who };
      return present(
        await read((sql) => listInternalTransactionsOfAddress(sql, ofAddress, order, page)),
      );
    }
    if (input.txhash === undefined) {
      return present(
        await read((sql) => listInternalTransactionsOfBlocks(sql, filter, order, page)),
      );
    }
    if (!isHash(input.txhash)) return failed(INVALID_HASH);
    const hash = lowerHex(input.txhash);
    return present(
      await read((sql) => listInternalTransactionsOfTransaction(sql, hash, filter, order)),
    );
  },
});
