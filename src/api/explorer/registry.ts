import { type Action, isServedIn } from "./action.ts";
import type { Dialect } from "./envelope.ts";
import { approvals } from "./modules/account/approvals.ts";
import { balance } from "./modules/account/balances/balance.ts";
import { balancehistory } from "./modules/account/balances/balancehistory.ts";
import { balancemulti } from "./modules/account/balances/balancemulti.ts";
import { ethGetBalance } from "./modules/account/balances/eth_get_balance.ts";
import { listaccounts } from "./modules/account/balances/listaccounts.ts";
import { fundedby } from "./modules/account/fundedby.ts";
import { getminedblocks } from "./modules/account/getminedblocks.ts";
import { pendingtxlist } from "./modules/account/pendingtxlist.ts";
import { addresstokennftinventory } from "./modules/account/tokens/addresstokennftinventory.ts";
import {
  addresstokenbalance,
  addresstokennftbalance,
} from "./modules/account/tokens/owned-token-lists.ts";
import { tokenTransferLists } from "./modules/account/tokens/token-transfers.ts";
import { tokenbalance } from "./modules/account/tokens/tokenbalance.ts";
import { tokenbalancehistory } from "./modules/account/tokens/tokenbalancehistory.ts";
import { tokenlist } from "./modules/account/tokens/tokenlist.ts";
import { txlist } from "./modules/account/txlist.ts";
import { txlistinternal } from "./modules/account/txlistinternal.ts";
import { txsBeaconWithdrawal } from "./modules/account/txsBeaconWithdrawal.ts";
import { ethBlockNumber } from "./modules/block/eth_block_number.ts";
import { getblock } from "./modules/block/getblock.ts";
import { getblockcountdown } from "./modules/block/getblockcountdown.ts";
import { getblocknobytime } from "./modules/block/getblocknobytime.ts";
import { getblockreward } from "./modules/block/getblockreward.ts";
import { getblocktxnscount } from "./modules/block/getblocktxnscount.ts";
import { listblocks } from "./modules/block/listblocks.ts";
import { getabi } from "./modules/contract/getabi.ts";
import { getcontractcreation } from "./modules/contract/getcontractcreation.ts";
import { getsourcecode } from "./modules/contract/getsourcecode.ts";
import { listbyname } from "./modules/contract/listbyname.ts";
import { listcontracts } from "./modules/contract/listcontracts.ts";
import { readcontract } from "./modules/contract/readcontract.ts";
import { checkproxyverification } from "./modules/contract/verification/checkproxyverification.ts";
import { checkverifystatus } from "./modules/contract/verification/checkverifystatus.ts";
import {
  verifyViaRepository,
  verifyViaSourcify,
} from "./modules/contract/verification/metadata-files.ts";
import { verify } from "./modules/contract/verification/verify.ts";
import { verifyVyperContract } from "./modules/contract/verification/verify_vyper_contract.ts";
import { verifyproxycontract } from "./modules/contract/verification/verifyproxycontract.ts";
import { verifysourcecode } from "./modules/contract/verification/verifysourcecode.ts";
import { gasestimate } from "./modules/gastracker/gasestimate.ts";
import { gasoracle } from "./modules/gastracker/gasoracle.ts";
import { getapilimit } from "./modules/getapilimit/getapilimit.ts";
import { getLogs } from "./modules/logs/getLogs.ts";
import { getaddresstag } from "./modules/nametag/getaddresstag.ts";
import {
  ethGetBlockByNumber,
  ethGetBlockTransactionCountByNumber,
  ethGetTransactionByBlockNumberAndIndex,
  ethGetTransactionByHash,
  ethGetTransactionReceipt,
  ethGetUncleByBlockNumberAndIndex,
  ethBlockNumber as proxyBlockNumber,
} from "./modules/proxy/index-methods.ts";
import {
  ethCall,
  ethEstimateGas,
  ethGasPrice,
  ethGetCode,
  ethGetStorageAt,
  ethGetTransactionCount,
  ethMaxPriorityFeePerGas,
  ethSendRawTransaction,
} from "./modules/proxy/node-methods.ts";
import {
  coinsupply,
  ethsupply,
  ethsupply2,
  ethsupplyexchange,
} from "./modules/stats/coin-supplies.ts";
import { dailySeries } from "./modules/stats/daily-series.ts";
import { coinPriceActions } from "./modules/stats/prices.ts";
import { tokensupply } from "./modules/stats/tokensupply.ts";
import { tokensupplyhistory } from "./modules/stats/tokensupplyhistory.ts";
import { totalfees } from "./modules/stats/totalfees.ts";
import { getToken } from "./modules/token/getToken.ts";
import { getTokenHolders, tokenholderlist } from "./modules/token/holder-lists.ts";
import { tokenholdercount } from "./modules/token/tokenholdercount.ts";
import { tokeninfo } from "./modules/token/tokeninfo.ts";
import { topholders } from "./modules/token/topholders.ts";
import { getstatus } from "./modules/transaction/getstatus.ts";
import { gettxinfo } from "./modules/transaction/gettxinfo.ts";
import { gettxreceiptstatus } from "./modules/transaction/gettxreceiptstatus.ts";
import { listtransactions } from "./modules/transaction/listtransactions.ts";
import { listtransfers } from "./modules/transaction/listtransfers.ts";

/** Every action of the API by its module, in the order of the documentation. */
export const registry: Readonly<Record<string, readonly Action[]>> = {
  account: [
    ethGetBalance,
    balance,
    balancemulti,
    listaccounts,
    pendingtxlist,
    txlist,
    txlistinternal,
    ...tokenTransferLists,
    tokenbalance,
    tokenlist,
    getminedblocks,
    addresstokenbalance,
    addresstokennftbalance,
    addresstokennftinventory,
    tokenbalancehistory,
    balancehistory,
    fundedby,
    approvals,
    txsBeaconWithdrawal,
  ],
  logs: [getLogs],
  token: [getToken, getTokenHolders, tokeninfo, tokenholderlist, tokenholdercount, topholders],
  stats: [
    tokensupply,
    tokensupplyhistory,
    ethsupply,
    ethsupply2,
    ethsupplyexchange,
    coinsupply,
    ...coinPriceActions,
    totalfees,
    ...dailySeries,
  ],
  block: [
    ethBlockNumber,
    getblock,
    listblocks,
    getblockreward,
    getblockcountdown,
    getblocknobytime,
    getblocktxnscount,
  ],
  contract: [
    listcontracts,
    listbyname,
    getabi,
    readcontract,
    getsourcecode,
    getcontractcreation,
    verify,
    verifyViaSourcify,
    verifyViaRepository,
    verifyVyperContract,
    verifysourcecode,
    checkverifystatus,
    verifyproxycontract,
    checkproxyverification,
  ],
  transaction: [gettxinfo, listtransactions, listtransfers, gettxreceiptstatus, getstatus],
  gastracker: [gasoracle, gasestimate],
  getapilimit: [getapilimit],
  nametag: [getaddresstag],
  proxy: [
    proxyBlockNumber,
    ethGetBlockByNumber,
    ethGetBlockTransactionCountByNumber,
    ethGetUncleByBlockNumberAndIndex,
    ethGetTransactionByHash,
    ethGetTransactionByBlockNumberAndIndex,
    ethGetTransactionReceipt,
    ethGetTransactionCount,
    ethGetCode,
    ethGetStorageAt,
    ethCall,
    ethEstimateGas,
    ethGasPrice,
    ethSendRawTransaction,
    ethMaxPriorityFeePerGas,
  ],
};

/** Descriptions of the modules, for people. */
export const moduleSummaries: Readonly<Record<keyof typeof registry, string>> = {
  account: "Balances, transactions, transfers and holdings of addresses",
  logs: "Events that contracts emitted",
  token: "Tokens and their holders",
  stats: "Supplies, prices and daily figures of the chain",
  block: "Blocks, their rewards and their times",
  contract: "Sources and ABIs of contracts, and their verification",
  transaction: "Single transactions",
  gastracker: "Gas prices, in Etherscan's dialect only",
  getapilimit: "A client's own rate limit, in Etherscan's dialect only",
  nametag: "The operator's own names of addresses, in Etherscan's dialect only",
  proxy: "A node's own methods, in Etherscan's dialect only",
};

/** Returns every action of a dialect, in that order. */
export function actionsIn(dialect: Dialect): { module: string; action: Action }[] {
  return Object.entries(registry).flatMap(([module, actions]) =>
    actions.filter((action) => isServedIn(action, dialect)).map((action) => ({ module, action })),
  );
}

const byName = { blockscout: indexFor("blockscout"), etherscan: indexFor("etherscan") };

function indexFor(dialect: Dialect): ReadonlyMap<string, ReadonlyMap<string, Action>> {
  const modules = new Map<string, Map<string, Action>>();
  for (const { module, action } of actionsIn(dialect)) {
    const actions = modules.get(module) ?? new Map();
    modules.set(module, actions.set(action.name.toLowerCase(), action));
  }
  return modules;
}

/** Returns a module's actions by lower-case name; undefined for a module that the dialect lacks. */
export function actionsOf(
  module: string,
  dialect: Dialect,
): ReadonlyMap<string, Action> | undefined {
  return byName[dialect].get(module);
}
