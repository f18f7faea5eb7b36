import type { Action } from "./action.ts";
import { ethBlockNumber } from "./modules/block/eth_block_number.ts";
import { getblockcountdown } from "./modules/block/getblockcountdown.ts";
import { getblocknobytime } from "./modules/block/getblocknobytime.ts";
import { getblockreward } from "./modules/block/getblockreward.ts";
import { getblocktxnscount } from "./modules/block/getblocktxnscount.ts";
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

/** Every action of the API by its module, in the order of the documentation. */
export const registry: Readonly<Record<string, readonly Action[]>> = {
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
  block: [ethBlockNumber, getblockreward, getblockcountdown, getblocknobytime, getblocktxnscount],
};

const byName = new Map(
  Object.entries(registry).map(([module, actions]) => [
    module,
    new Map(actions.map((action) => [action.name.toLowerCase(), action])),
  ]),
);

/** Actions of a module by their lower-case names; undefined for an unknown module. `module` is lower case. */
export function actionsOf(module: string): ReadonlyMap<string, Action> | undefined {
  return byName.get(module);
}
