import { type Action, isServedIn } from "./action.ts";
import type { Dialect } from "./envelope.ts";
import { addresstokenbalance } from "./modules/account/addresstokenbalance.ts";
import { addresstokennftbalance } from "./modules/account/addresstokennftbalance.ts";
import { addresstokennftinventory } from "./modules/account/addresstokennftinventory.ts";
import { balance } from "./modules/account/balance.ts";
import { balancehistory } from "./modules/account/balancehistory.ts";
import { balancemulti } from "./modules/account/balancemulti.ts";
import { ethGetBalance } from "./modules/account/eth_get_balance.ts";
import { fundedby } from "./modules/account/fundedby.ts";
import { getminedblocks } from "./modules/account/getminedblocks.ts";
import { listaccounts } from "./modules/account/listaccounts.ts";
import { pendingtxlist } from "./modules/account/pendingtxlist.ts";
import { token404tx } from "./modules/account/token404tx.ts";
import { token1155tx } from "./modules/account/token1155tx.ts";
import { tokenbalance } from "./modules/account/tokenbalance.ts";
import { tokenbalancehistory } from "./modules/account/tokenbalancehistory.ts";
import { tokenlist } from "./modules/account/tokenlist.ts";
import { tokennfttx } from "./modules/account/tokennfttx.ts";
import { tokentx } from "./modules/account/tokentx.ts";
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
import { checkproxyverification } from "./modules/contract/checkproxyverification.ts";
import { checkverifystatus } from "./modules/contract/checkverifystatus.ts";
import { getabi } from "./modules/contract/getabi.ts";
import { getcontractcreation } from "./modules/contract/getcontractcreation.ts";
import { getsourcecode } from "./modules/contract/getsourcecode.ts";
import { listbyname } from "./modules/contract/listbyname.ts";
import { listcontracts } from "./modules/contract/listcontracts.ts";
import { readcontract } from "./modules/contract/readcontract.ts";
import { verify } from "./modules/contract/verify.ts";
import { verifyViaRepository } from "./modules/contract/verify_via_repository.ts";
import { verifyViaSourcify } from "./modules/contract/verify_via_sourcify.ts";
import { verifyVyperContract } from "./modules/contract/verify_vyper_contract.ts";
import { verifyproxycontract } from "./modules/contract/verifyproxycontract.ts";
import { verifysourcecode } from "./modules/contract/verifysourcecode.ts";
import { gasestimate } from "./modules/gastracker/gasestimate.ts";
import { gasoracle } from "./modules/gastracker/gasoracle.ts";
import { getapilimit } from "./modules/getapilimit/getapilimit.ts";
import { getLogs } from "./modules/logs/getLogs.ts";
import { ethBlockNumber as proxyBlockNumber } from "./modules/proxy/eth_blockNumber.ts";
import { ethCall } from "./modules/proxy/eth_call.ts";
import { ethEstimateGas } from "./modules/proxy/eth_estimateGas.ts";
import { ethGasPrice } from "./modules/proxy/eth_gasPrice.ts";
import { ethGetBlockByNumber } from "./modules/proxy/eth_getBlockByNumber.ts";
import { ethGetBlockTransactionCountByNumber } from "./modules/proxy/eth_getBlockTransactionCountByNumber.ts";
import { ethGetCode } from "./modules/proxy/eth_getCode.ts";
import { ethGetStorageAt } from "./modules/proxy/eth_getStorageAt.ts";
import { ethGetTransactionByBlockNumberAndIndex } from "./modules/proxy/eth_getTransactionByBlockNumberAndIndex.ts";
import { ethGetTransactionByHash } from "./modules/proxy/eth_getTransactionByHash.ts";
import { ethGetTransactionCount } from "./modules/proxy/eth_getTransactionCount.ts";
import { ethGetTransactionReceipt } from "./modules/proxy/eth_getTransactionReceipt.ts";
import { ethGetUncleByBlockNumberAndIndex } from "./modules/proxy/eth_getUncleByBlockNumberAndIndex.ts";
import { ethMaxPriorityFeePerGas } from "./modules/proxy/eth_maxPriorityFeePerGas.ts";
import { ethSendRawTransaction } from "./modules/proxy/eth_sendRawTransaction.ts";
import { coinprice } from "./modules/stats/coinprice.ts";
import { coinsupply } from "./modules/stats/coinsupply.ts";
import { dailyavgblocksize } from "./modules/stats/dailyavgblocksize.ts";
import { dailyavgblocktime } from "./modules/stats/dailyavgblocktime.ts";
import { dailyavggaslimit } from "./modules/stats/dailyavggaslimit.ts";
import { dailyavggasprice } from "./modules/stats/dailyavggasprice.ts";
import { dailyblkcount } from "./modules/stats/dailyblkcount.ts";
import { dailyblockrewards } from "./modules/stats/dailyblockrewards.ts";
import { dailygasused } from "./modules/stats/dailygasused.ts";
import { dailynetutilization } from "./modules/stats/dailynetutilization.ts";
import { dailynewaddress } from "./modules/stats/dailynewaddress.ts";
import { dailytx } from "./modules/stats/dailytx.ts";
import { dailytxnfee } from "./modules/stats/dailytxnfee.ts";
import { dailyuncleblkcount } from "./modules/stats/dailyuncleblkcount.ts";
import { ethprice } from "./modules/stats/ethprice.ts";
import { ethsupply } from "./modules/stats/ethsupply.ts";
import { ethsupply2 } from "./modules/stats/ethsupply2.ts";
import { ethsupplyexchange } from "./modules/stats/ethsupplyexchange.ts";
import { tokensupply } from "./modules/stats/tokensupply.ts";
import { tokensupplyhistory } from "./modules/stats/tokensupplyhistory.ts";
import { totalfees } from "./modules/stats/totalfees.ts";
import { getToken } from "./modules/token/getToken.ts";
import { getTokenHolders } from "./modules/token/getTokenHolders.ts";
import { tokenholdercount } from "./modules/token/tokenholdercount.ts";
import { tokenholderlist } from "./modules/token/tokenholderlist.ts";
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
    tokentx,
    tokennfttx,
    token1155tx,
    token404tx,
    tokenbalance,
    tokenlist,
    getminedblocks,
    addresstokenbalance,
    addresstokennftbalance,
    addresstokennftinventory,
    tokenbalancehistory,
    balancehistory,
    fundedby,
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
    ethprice,
    coinprice,
    totalfees,
    dailytx,
    dailynewaddress,
    dailytxnfee,
    dailygasused,
    dailyavggaslimit,
    dailyavggasprice,
    dailynetutilization,
    dailyavgblocksize,
    dailyavgblocktime,
    dailyblkcount,
    dailyblockrewards,
    dailyuncleblkcount,
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

/** What each module is about, for people. */
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
  proxy: "A node's own methods, in Etherscan's dialect only",
};

/** Every action of a dialect, in that order. */
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

/**
 * Actions of a module by their lower-case names; undefined for a module that the dialect lacks. `module` is lower case.
 */
export function actionsOf(
  module: string,
  dialect: Dialect,
): ReadonlyMap<string, Action> | undefined {
  return byName[dialect].get(module);
}
