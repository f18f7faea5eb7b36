import { z } from "zod";
import { listTransfersOfTransaction } from "../../../../store/lists/token-transfers.ts";
import { defineAction } from "../../action.ts";
import { failed, NO_RECORDS, okPage } from "../../envelope.ts";
import { fetchEarlierReceipt, notIndexed } from "../../from-node/transactions/earlier-blocks.ts";
import { paging, windowCheck } from "../../params.ts";
import * as wire from "../../wire.ts";
import { txhash } from "./txhash.ts";

const ROWS = 100;
const MOST_ROWS = 1000;

export const listtransfers = defineAction({
  name: "listtransfers",
  summary: "Token transfers of a transaction, of all standards",
  params: z.object({ txhash, ...paging(ROWS, MOST_ROWS) }),
  result: z.array(
    z.object({
      logIndex: wire.decimal,
      from: wire.address,
      to: wire.address,
      contractAddress: wire.address,
      tokenType: z.enum(["ERC-20", "ERC-404", "ERC-721", "ERC-1155"]),
      tokenID: wire.decimalOrEmpty,
      value: wire.decimalOrEmpty,
      tokenName: z.string(),
      tokenSymbol: z.string(),
      tokenDecimal: wire.decimalOrEmpty,
    }),
  ),
  empty: { blockscout: "No token transfers found", etherscan: NO_RECORDS },
  example: { txhash: "0xc8b2365468087f53736d1e781bfe9d08eab9b8993faa631b19cc2194321d6db8" },
  check: windowCheck(MOST_ROWS),
  cursor: "history",
  async handle({ read, chain, page }, input) {
    const { rows, head } = await read(async (sql, served) => ({
      rows: await listTransfersOfTransaction(sql, input.txhash, page),
      head: await served,
    }));
    if (rows.length === 0 && (await fetchEarlierReceipt(chain, input.txhash, head))) {
      return failed("not-found", notIndexed(head));
    }
    return okPage(
      page,
      rows,
      ({ logIndex, batchIndex }) => [logIndex, batchIndex],
      (row) => ({
        logIndex: String(row.logIndex),
        from: row.from,
        to: row.to,
        contractAddress: row.token,
        tokenType: `ERC-${row.standard}` as const,
        tokenID: row.tokenId ?? "",
        value: row.amount ?? "",
        tokenName: row.tokenName ?? "",
        tokenSymbol: row.tokenSymbol ?? "",
        tokenDecimal: row.tokenDecimals === null ? "" : String(row.tokenDecimals),
      }),
    );
  },
});
