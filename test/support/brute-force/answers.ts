import type { Oracle } from "../oracle/oracle.ts";
import {
  balance,
  balancemulti,
  ethGetBalance,
  getminedblocks,
  listaccounts,
  tokenbalance,
  tokenlist,
} from "./account-balances.ts";
import { transferList, txlist, txlistinternal } from "./account-lists.ts";
import {
  ethBlockNumber,
  getblockcountdown,
  getblocknobytime,
  getblockreward,
  totalfees,
} from "./block.ts";
import { getLogs } from "./logs.ts";
import { createParameters } from "./parameters.ts";
import { getToken, getTokenHolders } from "./token.ts";
import { getcontractcreation, getstatus, gettxinfo, gettxreceiptstatus } from "./transaction.ts";
import type { Answerer, WireAnswer, WireRequest } from "./wire.ts";

/** Every action that can be answered from an oracle, by `module/action` in lower case. */
export const ANSWERERS: Readonly<Record<string, Answerer>> = {
  "account/txlist": txlist,
  "account/txlistinternal": txlistinternal,
  "account/tokentx": transferList(20),
  "account/tokennfttx": transferList(721),
  "account/token1155tx": transferList(1155),
  "account/token404tx": transferList(404),
  "account/balance": balance,
  "account/balancemulti": balancemulti,
  "account/eth_get_balance": ethGetBalance,
  "account/listaccounts": listaccounts,
  "account/tokenbalance": tokenbalance,
  "account/tokenlist": tokenlist,
  "account/getminedblocks": getminedblocks,
  "logs/getlogs": getLogs,
  "token/gettoken": getToken,
  "token/gettokenholders": getTokenHolders,
  "transaction/gettxinfo": gettxinfo,
  "transaction/gettxreceiptstatus": gettxreceiptstatus,
  "transaction/getstatus": getstatus,
  "contract/getcontractcreation": getcontractcreation,
  "block/getblockreward": getblockreward,
  "block/getblockcountdown": getblockcountdown,
  "block/getblocknobytime": getblocknobytime,
  "block/eth_block_number": ethBlockNumber,
  "stats/totalfees": totalfees,
};

/**
 * The answer that the wire contract demands for a request on the chain that the oracle read, of contracts that are not
 * verified. Throws for an action that is not in `ANSWERERS`.
 */
export function expectedAnswer(
  oracle: Oracle,
  { dialect, parameters: sent }: WireRequest,
): WireAnswer {
  const parameters = createParameters(sent);
  const name = `${parameters.get("module")}/${parameters.get("action")}`.toLowerCase();
  const answer = ANSWERERS[name];
  if (!answer) throw new Error(`nothing computes ${name}`);
  return answer({ oracle, dialect, parameters });
}
