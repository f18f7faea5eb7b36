import { z } from "zod";
import { listCoinAccountsByAge } from "../../../../../store/state/addresses/coin-balances.ts";
import { defineAction } from "../../../action.ts";
import { NO_RECORDS, ok } from "../../../envelope.ts";
import { readCoinAccounts } from "../../../from-node/coin-balances.ts";
import { offset, page, pageRange, windowCheck } from "../../../params.ts";
import * as wire from "../../../wire.ts";

const ROWS = 10;
const account = z.object({ address: wire.address, balance: wire.decimal });

export const listaccounts = defineAction({
  name: "listaccounts",
  summary: "Addresses with their coin balances, in the order in which they were first seen",
  params: z.object({ page, offset: offset(ROWS) }),
  result: {
    blockscout: z.array(account.extend({ stale: z.boolean() })),
    etherscan: z.array(account),
  },
  empty: NO_RECORDS,
  example: {},
  check: windowCheck(),
  async handle(context, input) {
    const accounts = await readCoinAccounts(context, (sql) =>
      listCoinAccountsByAge(sql, pageRange(input)),
    );
    const freshness = context.dialect === "blockscout" && { stale: false };
    return ok(accounts.map(({ address, balance }) => ({ address, balance, ...freshness })));
  },
});
