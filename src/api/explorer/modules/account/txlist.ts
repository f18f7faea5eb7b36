import { z } from "zod";
import type { Queryable } from "../../../../db/client.ts";
import { listTransactionsOfAddress } from "../../../../store/lists/address-transactions.ts";
import { readL1Fees } from "../../../../store/lists/l1-fees.ts";
import { defineAction } from "../../action.ts";
import { nameCalls } from "../../call-names.ts";
import { failed, okPage } from "../../envelope.ts";
import { address, blocksOf, side, timeBound, windowCheck } from "../../params.ts";
import {
  keyOfTransaction as keyOf,
  presentTransaction,
  transactionRecord,
} from "../../present/transaction.ts";
import {
  ADDRESS_FORMAT,
  ADDRESS_REQUIRED,
  listing,
  NO_TRANSACTIONS,
  orderOf,
  whoOf,
  withParties,
} from "./list.ts";

const params = z.object({
  address: address(ADDRESS_FORMAT),
  ...listing,
  filter_by: side,
  start_timestamp: timeBound.describe("Earliest time in Unix seconds, included"),
  end_timestamp: timeBound.describe("Latest time in Unix seconds, included"),
});

export const txlist = defineAction({
  name: "txlist",
  summary: "Transactions that an address sent, received or was created by",
  params,
  etherscanParams: withParties(params),
  result: {
    blockscout: z.array(transactionRecord.blockscout),
    etherscan: z.array(transactionRecord.etherscan),
  },
  empty: NO_TRANSACTIONS,
  example: { address: "0x976ea74026e726554db657fa54763abd0c3a0aa9" },
  check: windowCheck(),
  cursor: "history",
  // Names of functions come from verified sources.
  changesWithHead: { blockscout: true, etherscan: false },
  async handle({ read, dialect, page }, input) {
    const who = whoOf(input);
    if (!who) return failed("missing-parameter", ADDRESS_REQUIRED, { parameter: "address" });
    const filter = {
      ...who,
      blocks: blocksOf(input),
      timestamps: { from: input.start_timestamp, to: input.end_timestamp },
    };
    const order = orderOf(input.sort, dialect);
    const list = (sql: Queryable) => listTransactionsOfAddress(sql, filter, order, page);
    if (dialect === "etherscan") {
      const { named, l1FeeOf } = await read(async (sql, served) => {
        const rows = await list(sql);
        const named = await nameCalls(sql, rows, (row) => row);
        return { named, l1FeeOf: await readL1Fees(sql, rows, (await served).l1FeesFrom) };
      }, "statements of one head");
      return okPage(
        page,
        named,
        ({ entry }) => keyOf(entry),
        ({ entry, call }) => presentTransaction(entry, dialect, call, l1FeeOf),
      );
    }
    const rows = await read(list, "one statement");
    return okPage(page, rows, keyOf, (row) => presentTransaction(row, dialect));
  },
});
