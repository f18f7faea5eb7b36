import { z } from "zod";
import { defineAction } from "../../../action.ts";
import { accountRecord } from "../../../present/account.ts";
import { addresses } from "../addresses.ts";
import { tag } from "../tag.ts";
import { presentAccounts } from "./coin-balances.ts";

const params = z.object({ address: addresses });

export const balancemulti = defineAction({
  name: "balancemulti",
  summary: "Coin balances of up to 20 addresses in wei",
  params,
  etherscanParams: params.extend({ tag }),
  result: {
    blockscout: z.array(accountRecord.blockscout),
    etherscan: z.array(accountRecord.etherscan),
  },
  example: {
    address:
      "0x976ea74026e726554db657fa54763abd0c3a0aa9,0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc",
  },
  handle: presentAccounts,
});
