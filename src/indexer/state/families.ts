import { coins } from "./coins.ts";
import { dailyStatistics } from "./daily-statistics.ts";
import type { StateFamily } from "./family.ts";
import { holdings } from "./holdings.ts";
import { nftOwners } from "./nft-owners.ts";
import { tokens } from "./tokens.ts";

/** All families of state, in the order of application; reverted in the opposite order. */
export const stateFamilies: readonly StateFamily[] = [
  coins,
  tokens,
  holdings,
  nftOwners,
  dailyStatistics,
];
