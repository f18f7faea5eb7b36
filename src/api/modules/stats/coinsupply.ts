import { z } from "zod";
import { formatUnits } from "../../../core/decimal.ts";
import { defineAction } from "../../action.ts";
import { ok } from "../../envelope.ts";
import * as wire from "../../wire.ts";
import { withCoinSupply } from "./known-supply.ts";

export const coinsupply = defineAction({
  name: "coinsupply",
  summary: "Sum of all coin balances except the zero address's, in whole coins",
  envelope: "explorer",
  params: z.object({}),
  result: wire.decimalFraction,
  example: {},
  handle({ read }) {
    return read((sql) =>
      withCoinSupply(sql, ({ total, zeroAddress }) =>
        ok(formatUnits(BigInt(total) - BigInt(zeroAddress), 18)),
      ),
    );
  },
});
