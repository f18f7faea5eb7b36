import { z } from "zod";
import { isHash, lowerHex } from "../../../../core/evm/hex.ts";
import { quantityToDecimal } from "../../../../core/evm/quantity.ts";
import type { Queryable } from "../../../../db/client.ts";
import { listTransactionsOfAddress } from "../../../../store/lists/address-transactions.ts";
import {
  type InternalTransactionEntry,
  listInternalTransactionsOfAddress,
  listInternalTransactionsOfBlocks,
  listInternalTransactionsOfTransaction,
} from "../../../../store/lists/internal-transactions.ts";
import {
  listTokenTransfers,
  type TokenStandard,
  type TokenTransferFilter,
} from "../../../../store/lists/token-transfers.ts";
import { withHead } from "../../../reading/snapshot.ts";
import { defineAction } from "../../action.ts";
import { completeTransactions, type ListedTransaction, nameCalls } from "../../call-names.ts";
import { failed, ok, okPage } from "../../envelope.ts";
import { type PendingTransaction, refuseEarlier } from "../../from-node/transactions/unindexed.ts";
import {
  address,
  blocksOf,
  flag,
  MAXIMUM_OFFSET,
  offset,
  page,
  side,
  text,
  timeBound,
} from "../../params.ts";
import { internalTransaction, tokenTransferOf, transaction } from "../../present/transaction.ts";
import * as wire from "../../wire.ts";
import {
  ADDRESS_FORMAT,
  ADDRESS_REQUIRED,
  listing,
  NO_TRANSACTIONS,
  toParty,
  withParties,
} from "./list.ts";

const listParams = z.object({
  address: address(ADDRESS_FORMAT),
  ...listing,
  filter_by: side,
  start_timestamp: timeBound.describe("Earliest time in Unix seconds, included"),
  end_timestamp: timeBound.describe("Latest time in Unix seconds, included"),
});

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

const pending = wire.defineRecord<PendingTransaction>()({
  hash: [wire.hash, (row) => row.hash],
  nonce: [wire.decimal, (row) => quantityToDecimal(row.nonce)],
  from: [wire.address, (row) => row.from],
  to: [wire.addressOrEmpty, (row) => row.to ?? ""],
  value: [wire.decimal, (row) => quantityToDecimal(row.value)],
  gas: [wire.decimal, (row) => quantityToDecimal(row.gas)],
  gasPrice: [wire.decimal, (row) => quantityToDecimal(row.gasPrice ?? row.maxFeePerGas ?? "0x0")],
  input: [wire.data, (row) => row.input],
  contractAddress: [z.literal(""), () => "" as const],
  cumulativeGasUsed: [z.literal(""), () => "" as const],
  gasUsed: [z.literal(""), () => "" as const],
});

const NEITHER = "Query parameter address or contractaddress is required";

const transferParams = z.object({
  address: address(ADDRESS_FORMAT)
    .optional()
    .describe("Sender or receiver; required without `contractaddress`"),
  contractaddress: address({ invalid: "Invalid contract address format" })
    .optional()
    .describe("Token contract; required without `address`"),
  ...listing,
});

export const transactionsOfAccounts = {
  txlist: defineAction({
    summary: "Transactions that an address sent, received or was created by",
    params: listParams,
    etherscanParams: withParties(listParams),
    result: wire.listOf(transaction),
    empty: NO_TRANSACTIONS,
    example: { address: "0x976ea74026e726554db657fa54763abd0c3a0aa9" },
    cursor: "history",
    // Names of functions come from verified sources.
    changesWithHead: { blockscout: true, etherscan: false },
    async handle({ read, dialect, page, order }, input) {
      const who = toParty(input);
      if (!who) return failed("missing-parameter", ADDRESS_REQUIRED, { parameter: "address" });
      const filter = {
        ...who,
        blocks: blocksOf(input),
        timestamps: { from: input.start_timestamp, to: input.end_timestamp },
      };
      const list = (sql: Queryable) => listTransactionsOfAddress(sql, filter, order, page);
      const rows: ListedTransaction[] =
        dialect === "blockscout"
          ? await read(list, "one statement")
          : await read(
              async (sql, served) => completeTransactions(sql, await list(sql), served),
              "statements of one head",
            );
      return okPage(page, rows, transaction[dialect]);
    },
  }),
  txlistinternal: defineAction({
    summary: "Internal transactions of an address, of a transaction, or of a range of blocks",
    params,
    etherscanParams: withParties(params),
    result: wire.listOf(internalTransaction),
    empty: { blockscout: "No internal transactions found", etherscan: NO_TRANSACTIONS },
    example: { startblock: "0" },
    cursor: "history",
    changesWithHead: true,
    asksForSources: ({ names }) => names,
    async handle({ read, chain, dialect, page, order }, input) {
      const filter = { includeZeroValue: input.include_zero_value, blocks: blocksOf(input) };
      const who = toParty(input);
      const hash = isHash(input.txhash) ? lowerHex(input.txhash) : undefined;
      // With an address any hash is ignored, even an invalid one.
      if (!who && !hash && input.txhash !== undefined)
        return failed("invalid-parameter", INVALID_HASH, { parameter: "txhash" });
      const all = page.after ? page : { limit: MAXIMUM_OFFSET, skip: 0 };
      const list = (sql: Queryable) => {
        if (who) return listInternalTransactionsOfAddress(sql, { ...filter, ...who }, order, page);
        return hash
          ? listInternalTransactionsOfTransaction(sql, hash, filter, order, all)
          : listInternalTransactionsOfBlocks(sql, filter, order, page);
      };
      const query = async (sql: Queryable) => {
        const rows = await list(sql);
        if (!input.names) return rows;
        const frames = rows.map((row) => ({ ...row, mayBeNamed: row.type === "call" }));
        const callOf = ({ to, input }: InternalTransactionEntry) => ({ to, input: input ?? "0x" });
        const named = await nameCalls(sql, frames, callOf);
        return named.map((row) => ({ ...row, functionName: row.call?.functionName ?? "" }));
      };
      const { found: frames, head } = await withHead(read, query, "statements of one head");
      const wanted = who || frames.length > 0 ? undefined : hash;
      const earlier = wanted && (await refuseEarlier(chain, wanted, head));
      return earlier || okPage(page, frames, internalTransaction[dialect]);
    },
  }),
  pendingtxlist: defineAction({
    summary: "Transactions of an address that wait in the node's pool, where it shows its pool",
    params: z.object({
      address: address(ADDRESS_FORMAT),
      page,
      offset: offset(MAXIMUM_OFFSET),
      filter_by: side,
    }),
    result: z.array(pending.schema),
    empty: NO_TRANSACTIONS,
    example: { address: "0x976ea74026e726554db657fa54763abd0c3a0aa9" },
    async handle({ mempool, page: { limit, skip } }, { address: party, filter_by }) {
      const own = await mempool(party, filter_by);
      return ok(own.slice(skip, skip + limit).map(pending.present));
    },
  }),
  tokentx: defineTokenTransferList(20),
  tokennfttx: defineTokenTransferList(721),
  token1155tx: defineTokenTransferList(1155),
  token404tx: defineTokenTransferList(404),
};

/** Declares the list of the transfers of a standard. */
function defineTokenTransferList(standard: TokenStandard) {
  const record = tokenTransferOf(standard);
  return defineAction({
    summary: `ERC-${standard} transfers from or to an address, of a token, or both`,
    params: transferParams,
    etherscanParams: withParties(transferParams),
    result: wire.listOf(record),
    empty: { blockscout: "No token transfers found", etherscan: NO_TRANSACTIONS },
    example: { address: "0x976ea74026e726554db657fa54763abd0c3a0aa9" },
    cursor: "history",
    async handle({ read, dialect, page, order }, input) {
      const who = toParty(input);
      const { contractaddress: token } = input;
      if (!who && !token) return failed("missing-parameter", NEITHER, { parameter: "address" });
      const blocks = blocksOf(input);
      const filter = { standard, blocks, token, ...who } as TokenTransferFilter;
      const named = await read(
        async (sql) =>
          nameCalls(
            sql,
            await listTokenTransfers(sql, filter, order, page),
            ({ transactionTo, input: data }) => ({ to: transactionTo, input: data }),
          ),
        "statements of one head",
      );
      return okPage(page, named, record[dialect]);
    },
  });
}
