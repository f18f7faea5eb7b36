import { z } from "zod";
import { formatUnits } from "../../../../core/decimal.ts";
import type { Queryable } from "../../../../db/client.ts";
import { type CoinSupply, getCoinSupply } from "../../../../store/state/addresses/coin-supply.ts";
import { getTotalStatistics } from "../../../../store/state/daily-statistics.ts";
import { defineAction } from "../../action.ts";
import { failed, ok } from "../../envelope.ts";
import { stillReading } from "../../from-node/holdings.ts";
import * as wire from "../../wire.ts";

const NOT_FOLLOWED =
  "The coin supply is not known: without internal transactions, or with fees that no block names, balances change unseen";
const WEI_PER_GWEI = 1_000_000_000n;

export const ethsupply = defineSupply({
  name: "ethsupply",
  summary: "Sum of all coin balances in wei",
  result: wire.decimal,
  present: async ({ total }) => total,
});

export const ethsupply2 = defineSupply({
  name: "ethsupply2",
  summary: "Coin supply, burnt fees and withdrawals of the whole chain, in wei",
  result: z.object({
    EthSupply: wire.decimal,
    Eth2Staking: wire.decimal,
    BurntFees: wire.decimal,
    WithdrawnTotal: wire.decimal,
  }),
  async present({ total }, sql) {
    const { burntFees, withdrawnGwei } = await getTotalStatistics(sql);
    return {
      EthSupply: total,
      Eth2Staking: "0",
      BurntFees: burntFees,
      WithdrawnTotal: String(BigInt(withdrawnGwei) * WEI_PER_GWEI),
    };
  },
});

export const ethsupplyexchange = defineAction({
  name: "ethsupplyexchange",
  summary:
    "Coin supply from a price source, in wei; always 0, since on-chain aggregators have none",
  params: z.object({}),
  result: wire.decimal,
  example: {},
  async handle() {
    return ok("0");
  },
});

export const coinsupply = defineSupply({
  name: "coinsupply",
  summary: "Sum of all coin balances except the zero address's, in whole coins",
  result: wire.decimalFraction,
  present: async ({ total, zeroAddress }) => formatUnits(BigInt(total) - BigInt(zeroAddress), 18),
});

/** Declares an action on the coin supply at the head; fails where balances change unseen or are pending. */
function defineSupply<Result extends z.ZodType>({
  present,
  ...supply
}: {
  name: string;
  summary: string;
  result: Result;
  present(supply: CoinSupply, sql: Queryable): Promise<z.output<Result>>;
}) {
  return defineAction({
    ...supply,
    params: z.object({}),
    example: {},
    handle: ({ read }) =>
      read(async (sql) => {
        const found = await getCoinSupply(sql);
        if (found && !found.followed) return failed("unsupported", NOT_FOLLOWED);
        if (!found || found.pending) throw stillReading();
        return ok(await present(found, sql));
      }),
  });
}
