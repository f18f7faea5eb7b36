import { z } from "zod";
import { listCoinAccountsByAge } from "../../../../../store/state/addresses/coin-balances.ts";
import { defineAction } from "../../../action.ts";
import { NO_RECORDS, okPage } from "../../../envelope.ts";
import { readCoinAccounts } from "../../../from-node/coin-balances.ts";
import { paging, windowCheck } from "../../../params.ts";
import * as wire from "../../../wire.ts";

const ROWS = 10;
const account = z.object({ address: wire.address, balance: wire.decimal });

export const listaccounts = defineAction({
  name: "listaccounts",
  summary: "Addresses with their coin balances, in the order in which they were first seen",
  params: z.object(paging(ROWS)),
  result: {
    blockscout: z.array(account.extend({ stale: z.boolean() })),
    etherscan: z.array(account),
  },
  empty: NO_RECORDS,
  example: {},
  check: windowCheck(),
  cursor: "members",
  async handle(context) {
    const accounts = await readCoinAccounts(context, (sql) =>
      listCoinAccountsByAge(sql, context.page),
    );
    const freshness = context.dialect === "blockscout" && { stale: false };
    return okPage(
      context.page,
      accounts,
      ({ firstBlock, address }) => [firstBlock, address],
      ({ address, balance }) => ({ address, balance, ...freshness }),
    );
  },
});
