import type { IndexMethod } from "../eth-rpc/rpc.ts";
import * as blocks from "./blocks.ts";
import { nodeMethods } from "./node-methods.ts";
import { method } from "./outcomes.ts";
import { searchAfter, searchBefore } from "./searches.ts";
import * as transactions from "./transactions.ts";

/** The level of Otterscan's API; the app refuses a lower one. */
const API_LEVEL = 8;

/** The methods of `/ots`, without the one that names the server's version. */
export const methods: Readonly<Record<string, IndexMethod>> = {
  ots_getApiLevel: method([0, 0], async () => API_LEVEL),
  erigon_getHeaderByNumber: blocks.getHeaderByNumber,
  ots_hasCode: transactions.hasCode,
  ots_getBlockDetails: blocks.getBlockDetails,
  ots_getBlockDetailsByHash: blocks.getBlockDetailsByHash,
  ots_getBlockTransactions: blocks.getBlockTransactions,
  ots_searchTransactionsBefore: searchBefore,
  ots_searchTransactionsAfter: searchAfter,
  ots_getTransactionBySenderAndNonce: transactions.getTransactionBySenderAndNonce,
  ots_getContractCreator: transactions.getContractCreator,
  ots_getInternalOperations: transactions.getInternalOperations,
  ots_getTransactionError: transactions.getTransactionError,
  ots_traceTransaction: transactions.traceTransaction,
  trace_replayTransaction: transactions.replayTransaction,
  ...nodeMethods,
};

/** Declares the method that names the server's version. */
export function clientVersion(version: string): IndexMethod {
  return method([0, 0], async () => `Periscope/${version}`);
}
