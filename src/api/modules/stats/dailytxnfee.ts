import { formatUnits } from "../../../core/decimal.ts";
import * as wire from "../../wire.ts";
import { defineDailySeries } from "./daily-series.ts";

export const dailytxnfee = defineDailySeries({
  name: "dailytxnfee",
  summary: "Fees paid per UTC day, in coins",
  fields: { transactionFee_Eth: wire.decimalFraction },
  present: ({ fees }) => ({ transactionFee_Eth: formatUnits(fees, 18) }),
});
