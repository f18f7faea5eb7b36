import * as wire from "../../wire.ts";
import { defineDailySeries, rewardsOf } from "./daily-series.ts";

export const dailyblockrewards = defineDailySeries({
  name: "dailyblockrewards",
  summary: "Rewards of the blocks of a UTC day, in coins",
  fields: { blockRewards_Eth: wire.decimalFraction },
  present: (day, context) => ({ blockRewards_Eth: rewardsOf(day, context) }),
});
