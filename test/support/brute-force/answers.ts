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
  getblocktxnscount,
  totalfees,
} from "./block.ts";
import { DAILY_SERIES } from "./daily-series.ts";
import { fundedby } from "./funding.ts";
import { gasestimate, gasoracle } from "./gas.ts";
import {
  addresstokenbalance,
  addresstokennftbalance,
  addresstokennftinventory,
  txsBeaconWithdrawal,
} from "./held-tokens.ts";
import { getLogs } from "./logs.ts";
import {
  getblock,
  listblocks,
  listbyname,
  listnames,
  listtokens,
  listtransactions,
  listtransfers,
  readcontract,
} from "./pages.ts";
import { createParameters, type Parameters } from "./parameters.ts";
import { getabi, getsourcecode, listcontracts } from "./sources.ts";
import { coinsupply, ethsupply, ethsupply2, ethsupplyexchange, tokensupply } from "./supplies.ts";
import {
  getToken,
  getTokenHolders,
  tokenholdercount,
  tokenholderlist,
  tokeninfo,
  topholders,
} from "./token.ts";
import { getcontractcreation, getstatus, gettxinfo, gettxreceiptstatus } from "./transaction.ts";
import { listuserops, userops } from "./user-operations.ts";
import type { Answerer, NodePlace, WireAnswer, WireRequest } from "./wire.ts";

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
  "account/fundedby": fundedby,
  "account/tokenbalance": tokenbalance,
  "account/tokenlist": tokenlist,
  "account/getminedblocks": getminedblocks,
  "logs/getlogs": getLogs,
  "token/gettoken": getToken,
  "token/gettokenholders": getTokenHolders,
  "token/topholders": topholders,
  "transaction/gettxinfo": gettxinfo,
  "transaction/gettxreceiptstatus": gettxreceiptstatus,
  "transaction/getstatus": getstatus,
  "contract/getcontractcreation": getcontractcreation,
  "block/getblockreward": getblockreward,
  "block/getblockcountdown": getblockcountdown,
  "block/getblocknobytime": getblocknobytime,
  "block/eth_block_number": ethBlockNumber,
  "stats/totalfees": totalfees,
  "account/addresstokenbalance": addresstokenbalance,
  "account/addresstokennftbalance": addresstokennftbalance,
  "account/addresstokennftinventory": addresstokennftinventory,
  "account/txsbeaconwithdrawal": txsBeaconWithdrawal,
  "block/getblocktxnscount": getblocktxnscount,
  "contract/getabi": getabi,
  "contract/getsourcecode": getsourcecode,
  "contract/listcontracts": listcontracts,
  "block/getblock": getblock,
  "block/listblocks": listblocks,
  "transaction/listtransactions": listtransactions,
  "transaction/listtransfers": listtransfers,
  "transaction/listuserops": listuserops,
  "account/userops": userops,
  "contract/readcontract": readcontract,
  "contract/listbyname": listbyname,
  "contract/listnames": listnames,
  "token/tokenholderlist": tokenholderlist,
  "token/listtokens": listtokens,
  "token/tokenholdercount": tokenholdercount,
  "token/tokeninfo": tokeninfo,
  "stats/tokensupply": tokensupply,
  "stats/ethsupply": ethsupply,
  "stats/ethsupply2": ethsupply2,
  "stats/coinsupply": coinsupply,
  "stats/ethsupplyexchange": ethsupplyexchange,
  "gastracker/gasoracle": gasoracle,
  "gastracker/gasestimate": gasestimate,
  ...DAILY_SERIES,
};

/** `module/action` of a request in lower case, as `ANSWERERS` has it. */
export function actionOf(parameters: Parameters): string {
  return `${parameters.get("module")}/${parameters.get("action")}`.toLowerCase();
}

/**
 * The answer that docs/wire.md demands for a request on the chain that the oracle read, of contracts that are not
 * verified. Throws for an action that is not in `ANSWERERS`.
 */
export function expectedAnswer(
  oracle: Oracle,
  { dialect, parameters: sent }: WireRequest,
  place: NodePlace = {},
): WireAnswer {
  const parameters = createParameters(sent);
  const name = actionOf(parameters);
  const answer = ANSWERERS[name];
  if (!answer) throw new Error(`nothing computes ${name}`);
  return answer({ oracle, dialect, parameters, ...place });
}
