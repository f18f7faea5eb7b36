import { z } from "zod";
import { defineAction } from "../../../action.ts";
import { ok } from "../../../envelope.ts";
import { accountRecord } from "../../../present/account.ts";
import * as wire from "../../../wire.ts";
import { addresses } from "../addresses.ts";
import { tag } from "../tag.ts";
import { presentAccounts } from "./coin-balances.ts";

const params = z.object({ address: addresses });

export const balance = defineAction({
  name: "balance",
  summary: "Coin balance of an address in wei; of several addresses as balancemulti",
  params,
  etherscanParams: params.extend({ tag }),
  result: {
    blockscout: z.union([wire.decimal, z.array(accountRecord.blockscout)]),
    etherscan: z.union([wire.decimal, z.array(accountRecord.etherscan)]),
  },
  example: { address: "0x976ea74026e726554db657fa54763abd0c3a0aa9" },
  async handle(context, input) {
    const outcome = await presentAccounts(context, input);
    if (outcome.kind !== "ok") return outcome;
    const [only, ...others] = outcome.result;
    return only && others.length === 0 ? ok(only.balance) : outcome;
  },
});
