import type { Address } from "../../core/address.ts";
import { ChainError } from "../../core/errors.ts";
import type { Queryable } from "../../db/client.ts";
import { getBlockReference } from "../../store/blocks.ts";
import { type CoinAccount, listCoinAccounts } from "../../store/coin-balances.ts";
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

/** Balance of an address in wei at the served head. */
async function readBalance(services: Services, address: Address): Promise<bigint> {
  const [account] = await readCoinAccounts(services, (sql) => listCoinAccounts(sql, [address]));
  return BigInt(account?.balance ?? 0);
}

/**
 * Balance of an address in wei after a block, at the served head for any block above it (also an infinite one);
 * undefined where the node keeps no state of that time.
 */
export async function readBalanceAt(
  services: Services,
  address: Address,
  blockNumber: number,
): Promise<bigint | undefined> {
  const { sql, chain } = services;
  if (blockNumber === Number.POSITIVE_INFINITY) return readBalance(services, address);
  return atServedHead(sql, async (head) => {
    if (blockNumber >= head.number) return readBalance(services, address);
    // Also a block before the first that is indexed.
    const block =
      (await getBlockReference(sql, blockNumber)) ?? (await chain.fetchHeader(blockNumber));
    if (!block) return undefined;
    try {
      const [wei] = await chain.fetchCoinBalances([address], block);
      return wei;
    } catch (error) {
      if (error instanceof ChainError && error.code === "state-unavailable") return undefined;
      throw error;
    }
  });
}

function isBalanced(account: CoinAccount): account is BalancedAccount {
  return account.balance !== null;
}
