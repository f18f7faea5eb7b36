import { z } from "zod";
import { listWithdrawals } from "../../../../store/blocks/withdrawals.ts";
import { defineAction } from "../../action.ts";
import { NO_RECORDS, okPage } from "../../envelope.ts";
import { address, blocksOf, windowCheck } from "../../params.ts";
import { presentWithdrawal, withdrawalRecord } from "../../present/withdrawal.ts";
import * as wire from "../../wire.ts";
import { ADDRESS_FORMAT, listing, NO_TRANSACTIONS, orderOf } from "./list.ts";

export const txsBeaconWithdrawal = defineAction({
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
