import { z } from "zod";
import { listCoinAccounts } from "../../../store/addresses/coin-balances.ts";
import { defineAction } from "../../action.ts";
import { ok } from "../../envelope.ts";
import { readCoinAccounts } from "../../live/coin-balances.ts";
import { accountRecord, presentAccount } from "../../present/account.ts";
import * as wire from "../../wire.ts";
import { addresses } from "./addresses.ts";

export const balance = defineAction({
  name: "balance",
  summary: "Coin balance of an address in wei; of several addresses as balancemulti",
  envelope: "explorer",
  params: z.object({ address: addresses }),
  result: {
    blockscout: z.union([wire.decimal, z.array(accountRecord.blockscout)]),
    etherscan: z.union([wire.decimal, z.array(accountRecord.etherscan)]),
  },
  example: { address: "0x976ea74026e726554db657fa54763abd0c3a0aa9" },
  async handle(context, input) {
    const accounts = await readCoinAccounts(context, (sql) => listCoinAccounts(sql, input.address));
    const [only, ...others] = accounts;
    return only && others.length === 0
      ? ok(only.balance)
      : ok(accounts.map((account) => presentAccount(account, context.dialect)));
  },
});
