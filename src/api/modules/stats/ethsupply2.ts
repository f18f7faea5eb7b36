import { z } from "zod";
import { getTotalStatistics } from "../../../store/daily-statistics.ts";
import { defineAction } from "../../action.ts";
import { ok } from "../../envelope.ts";
import * as wire from "../../wire.ts";
import { withCoinSupply } from "./known-supply.ts";

const WEI_PER_GWEI = 1_000_000_000n;

export const ethsupply2 = defineAction({
  name: "ethsupply2",
  summary: "Coin supply, burnt fees and withdrawals of the whole chain, in wei",
  envelope: "explorer",
  params: z.object({}),
  result: z.object({
    EthSupply: wire.decimal,
    Eth2Staking: wire.decimal,
    BurntFees: wire.decimal,
    WithdrawnTotal: wire.decimal,
  }),
  example: {},
  handle({ read }) {
    return read((sql) =>
      withCoinSupply(sql, async ({ total }) => {
        const { burntFees, withdrawnGwei } = await getTotalStatistics(sql);
        return ok({
          EthSupply: total,
          Eth2Staking: "0",
          BurntFees: burntFees,
          WithdrawnTotal: String(BigInt(withdrawnGwei) * WEI_PER_GWEI),
        });
      }),
    );
  },
});
