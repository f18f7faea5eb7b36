import { z } from "zod";
import { listCoinAccounts } from "../../../store/coin-balances.ts";
import { defineAction } from "../../action.ts";
import { ok } from "../../envelope.ts";
import { readCoinAccounts } from "../../live/coin-balances.ts";
import { accountRecord, presentAccount } from "../../present/account.ts";
import { addresses } from "./addresses.ts";

export const balancemulti = defineAction({
  name: "balancemulti",
  summary: "Coin balances of up to 20 addresses in wei",
  envelope: "explorer",
  params: z.object({ address: addresses }),
  result: {
    blockscout: z.array(accountRecord.blockscout),
    etherscan: z.array(accountRecord.etherscan),
  },
  example: {
    address:
      "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266,0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
  },
  async handle(context, input) {
    const accounts = await readCoinAccounts(context, (sql) => listCoinAccounts(sql, input.address));
    return ok(accounts.map((account) => presentAccount(account, context.dialect)));
  },
});
