import { applyDailyStatistics, revertDailyStatistics } from "../../store/state/daily-statistics.ts";
import type { StateFamily } from "./family.ts";

/** Counts new addresses, so it comes after `coins`. */
export const dailyStatistics: StateFamily = {
  name: "daily-statistics",
  tables: ["daily_statistics"],
  apply: applyDailyStatistics,
  revert: revertDailyStatistics,
};
