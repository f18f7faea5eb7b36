import { z } from "zod";
import { defineDailySeries } from "./daily-series.ts";

export const dailynewaddress = defineDailySeries({
  name: "dailynewaddress",
  summary: "Addresses first seen per UTC day",
  fields: { newAddressCount: z.number() },
  present: ({ newAddresses }) => ({ newAddressCount: newAddresses }),
});
