import { type Address, lowerAddress } from "../../../core/evm/address.ts";
import type { Queryable } from "../../../db/client.ts";
import type { PageRange } from "../../../store/lists/large-pages.ts";
import {
  getHolderPage,
  type Holder,
  listHolders,
} from "../../../store/state/token-balances/holdings.ts";
import { getToken } from "../../../store/state/tokens/token.ts";
import type { ServedHead } from "../../../store/sync-state.ts";
import type { Context } from "../action.ts";
import {
  type Fresh,
  fetchHoldings,
  listUnsure,
  readWithHoldings,
  type UnsureOwnedToken,
  wholeOf,
} from "./holdings.ts";
import { mergePage, windowAround } from "./merge.ts";

/** A page of a token's holders, with the extra data read for it. */
export interface HolderPage<Extra> {
  head: ServedHead;
  holders: Holder[];
  extra: Extra;
}

/** Reads holders by amount and address, descending. `more` reads extra data. Throws `RequestError` when too many are unsure. */
export async function readHolders<Extra>(
  context: Context,
  token: Address,
  page: PageRange,
  more: (sql: Queryable, owners: Address[]) => Promise<Extra>,
): Promise<HolderPage<Extra>> {
  const { head, ...found } = await context.read(async (sql, served) => {
    const stored = await getHolderPage(sql, token, page);
    const unsure = stored.unsure ? await listUnsure(sql, { token }) : [];
    const unsureOwners = [...new Set(unsure.map(({ owner }) => owner))];
    const window = windowAround(page, unsureOwners.length);
    const settled = stored.unsure
      ? await listHolders(sql, token, unsureOwners, window)
      : stored.holders;
    const owners = [...settled.map(({ owner }) => owner), ...unsureOwners];
    return { head: await served, unsure, window, settled, extra: await more(sql, owners) };
  }, "one statement");
  const fresh = await fetchHoldings(context, found.unsure, head);
  const [amount, owner] = page.after ?? [];
  const last = amount && owner ? { amount, owner: lowerAddress(owner) } : undefined;
  const holders = wholesByOwner(fresh)
    .filter(({ amount }) => amount > 0n)
    .map(({ owner, amount }) => ({ owner, amount: String(amount) }))
    .filter((holder) => !last || byAmountDescending(last, holder) < 0);
  const merged = mergePage<Holder>(found.settled, holders, byAmountDescending, page, found.window);
  return { head, holders: merged, extra: found.extra };
}

/** Returns the number of holders of a token at the served head; 0 for an unknown token. Throws as `readHolders`. */
export async function readHolderCount(context: Context, token: Address): Promise<number> {
  const { found, fresh } = await readWithHoldings(context, { token }, (sql) =>
    getToken(sql, token),
  );
  return wholesByOwner(fresh).reduce(
    (count, { amount, stored }) => count + Number(amount > 0n) - Number(stored > 0n),
    found?.holderCount ?? 0,
  );
}

function wholesByOwner(fresh: readonly Fresh<UnsureOwnedToken>[]) {
  const parts = Map.groupBy(fresh, ({ owner }) => owner);
  return [...parts].map(([owner, holdings]) => {
    const stored = holdings[0]?.whole ?? "0";
    return { owner, stored: BigInt(stored), amount: wholeOf(stored, holdings) };
  });
}

function byAmountDescending(a: Holder, b: Holder): number {
  const difference = BigInt(b.amount) - BigInt(a.amount);
  if (difference !== 0n) return difference < 0n ? -1 : 1;
  return a.owner <= b.owner ? 1 : -1;
}
