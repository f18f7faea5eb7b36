import type { Address } from "../../../core/evm/address.ts";
import { isContractCode } from "../../../core/evm/contract-code.ts";
import type { Hex } from "../../../core/evm/hex.ts";
import type { Queryable } from "../../../db/client.ts";
import { getBlockReference } from "../../../store/blocks/blocks.ts";
import type { CodePresence } from "../../../store/contracts/creations.ts";
import {
  type CoinAccount,
  listCoinAccounts,
} from "../../../store/state/addresses/coin-balances.ts";
import type { ServedHead } from "../../../store/sync-state.ts";
import { withHead } from "../../reading/snapshot.ts";
import type { Context } from "../action.ts";
import { atState } from "./history.ts";
import { READABLE_BALANCES, stillReading } from "./holdings.ts";

/** Returns the addresses that are contracts at the head; asks the node about those missing in the index. */
export async function readContracts(
  { chain }: Pick<Context, "chain">,
  presences: readonly CodePresence[],
  head: ServedHead,
): Promise<Set<Address>> {
  const unknown = presences
    .filter(({ isContract }) => isContract === null)
    .map(({ address }) => address);
  const codes = unknown.length === 0 ? [] : await chain.fetchCodes(unknown, head);
  return new Set([
    ...presences.filter(({ isContract }) => isContract).map(({ address }) => address),
    ...unknown.filter((_, index) => isContractCode(codes[index] as Hex)),
  ]);
}

/** Adds the balances at the served head, stored or from the node. Throws `RequestError` if too many need the node. */
export async function readCoinAccounts<Account extends CoinAccount>(
  context: Pick<Context, "read" | "chain">,
  list: (sql: Queryable) => Promise<Account[]>,
): Promise<(Account & { balance: string })[]> {
  const { found: accounts, head } = await withHead(context.read, list, "one statement");
  return fillBalances(context, accounts, head);
}

async function fillBalances<Account extends CoinAccount>(
  { chain }: Pick<Context, "chain">,
  accounts: Account[],
  head: ServedHead,
): Promise<(Account & { balance: string })[]> {
  const asked = accounts.filter(({ balance }) => balance === null);
  if (asked.length > READABLE_BALANCES) throw stillReading();
  const addresses = asked.map(({ address }) => address);
  const balances = asked.length > 0 ? await chain.fetchCoinBalances(addresses, head) : [];
  const byAddress = new Map(addresses.map((address, index) => [address, balances[index]]));
  return accounts.map((account) => ({
    ...account,
    balance: account.balance ?? String(byAddress.get(account.address) ?? 0n),
  }));
}

/** Returns a balance in wei after a block up to the head; undefined if the node has no state, or `onlyKnown` and the address is unseen. */
export async function readBalanceAt(
  context: Pick<Context, "read" | "chain">,
  address: Address,
  blockNumber: number,
  { onlyKnown = false } = {},
): Promise<bigint | undefined> {
  const { chain } = context;
  const { account, head, stored, isPast } = await context.read(async (sql, served) => {
    const [found] = await listCoinAccounts(sql, [address]);
    const head = await served;
    const past = blockNumber < head.number;
    return {
      account: found,
      head,
      isPast: past,
      stored: past ? await getBlockReference(sql, blockNumber) : undefined,
    };
  });
  if (!account || (onlyKnown && !account.known)) return undefined;
  if (!isPast) {
    const [filled] = await fillBalances(context, [account], head);
    return BigInt(filled?.balance ?? 0);
  }
  return atState(chain, blockNumber, stored, async (block) => {
    const [wei] = await chain.fetchCoinBalances([address], block);
    return wei;
  });
}
