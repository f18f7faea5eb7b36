import { applyDailyStatistics, revertDailyStatistics } from "../../store/state/daily-statistics.ts";
import { applyNftOwners, revertNftOwners } from "../../store/state/nft-owners.ts";
import { coins } from "./coins.ts";
import type { StateFamily } from "./family.ts";
import { holdings } from "./holdings.ts";
import { tokens } from "./tokens.ts";

/** All families of state, in the order of application; reverted in the opposite order. */
export const stateFamilies: readonly StateFamily[] = [
  coins,
  tokens,
  holdings,
  { name: "nft-owners", tables: ["nft_owners"], apply: applyNftOwners, revert: revertNftOwners },
  {
    // Counts new addresses, so it comes after `coins`.
    name: "daily-statistics",
    tables: ["daily_statistics"],
    apply: applyDailyStatistics,
    revert: revertDailyStatistics,
  },
];
