import type { z } from "zod";
import type { Address } from "../../../../../core/evm/address.ts";
import { listCoinAccounts } from "../../../../../store/state/addresses/coin-balances.ts";
import type { Context } from "../../../action.ts";
import { type Outcome, ok } from "../../../envelope.ts";
import { type BalancedAccount, readCoinAccounts } from "../../../from-node/coin-balances.ts";
import { presentAccount } from "../../../present/account.ts";
import { atTag, type tag } from "../tag.ts";

interface Asked {
  address: Address[];
  tag?: z.output<typeof tag>;
}

/** Presents accounts with their balances: at the head, or after the block of a tag. */
export async function presentAccounts(
  context: Context,
  asked: Asked,
): Promise<Outcome<ReturnType<typeof presentAccount>[]>> {
  const outcome = await readAccounts(context, asked);
  if (outcome.kind !== "ok") return outcome;
  return ok(outcome.result.map((account) => presentAccount(account, context.dialect)));
}

async function readAccounts(
  context: Context,
  { address: addresses, ...asked }: Asked,
): Promise<Outcome<BalancedAccount[]>> {
  if (asked.tag === undefined) {
    return ok(await readCoinAccounts(context, (sql) => listCoinAccounts(sql, addresses)));
  }
  return atTag(
    context,
    asked.tag,
    async () => null,
    async (block) => {
      const balances = await context.chain.fetchCoinBalances(addresses, block);
      return ok(
        addresses.map((address, index) => ({
          address,
          known: true,
          balance: String(balances[index] ?? 0n),
        })),
      );
    },
  );
}
