import type { Queryable } from "../../db/client.ts";
import type { CoinAccount } from "../../store/coin-balances.ts";
import { readSnapshot } from "../../store/snapshot.ts";
import { getServedHead } from "../../store/sync-state.ts";
import type { Services } from "../action.ts";
import { atServedHead } from "../served-head.ts";
import { READABLE_BALANCES, stillReading } from "./holdings.ts";

/** An account with its exact balance in wei. */
export interface BalancedAccount {
  address: CoinAccount["address"];
  known: boolean;
  balance: string;
}

/**
 * The accounts that `list` gives, their balances at the served head: stored, or asked of the node. Throws
 * `RequestError` when too many would have to be asked for.
 */
export async function readCoinAccounts(
  { sql, chain }: Services,
  list: (sql: Queryable) => Promise<CoinAccount[]>,
): Promise<BalancedAccount[]> {
  const stored = await list(sql);
  if (stored.every(isBalanced)) return stored;
  return atServedHead(sql, async () => {
    const { head, accounts } = await readSnapshot(sql, async (snapshot) => ({
      head: await getServedHead(snapshot),
      accounts: await list(snapshot),
    }));
    const asked = accounts.filter((account) => !isBalanced(account));
    if (asked.length > READABLE_BALANCES) throw stillReading();
    const balances =
      head && asked.length > 0
        ? await chain.fetchCoinBalances(
            asked.map(({ address }) => address),
            head,
          )
        : [];
    const byAddress = new Map(asked.map(({ address }, index) => [address, balances[index]]));
    return accounts.map((account) => ({
      ...account,
      balance: account.balance ?? String(byAddress.get(account.address) ?? 0n),
    }));
  });
}

function isBalanced(account: CoinAccount): account is BalancedAccount {
  return account.balance !== null;
}
