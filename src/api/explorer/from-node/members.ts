import { type Address, lowerAddress } from "../../../core/evm/address.ts";
import type { Queryable } from "../../../db/client.ts";
import type { PageRange } from "../../../store/lists/large-pages.ts";
import type { TokenStandard } from "../../../store/lists/token-transfers.ts";
import {
  getHolderPage,
  type Holder,
  listHolders,
  listOwnedTokens,
  type OwnedToken,
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
  updateWhole,
} from "./holdings.ts";

/** Returns the range of settled rows that `mergePage` needs, when `unsure` entries may move into or out of the page. */
export function windowAround(page: PageRange, unsure: number): PageRange {
  const before = Math.min(page.skip, unsure);
  return { ...page, skip: page.skip - before, limit: page.limit + before };
}

/** Merges the `settled` rows of `windowAround` with all `fresh` entries and returns the page. `compare` never returns 0. */
export function mergePage<Entry>(
  settled: readonly Entry[],
  fresh: readonly Entry[],
  compare: (a: Entry, b: Entry) => number,
  page: PageRange,
  window: PageRange,
): Entry[] {
  // The window begins early enough: no more fresh entries than unsure ones can come before the page.
  const skip = page.skip - window.skip;
  return [...settled, ...fresh].sort(compare).slice(skip, skip + page.limit);
}

/** Reads holders by amount and address, descending; `more` reads extra data. Throws `RequestError` for too many unsure holdings. */
export async function readHolders<Extra>(
  context: Context,
  token: Address,
  page: PageRange,
  more: (sql: Queryable, owners: Address[]) => Promise<Extra>,
): Promise<{ head: ServedHead; holders: Holder[]; extra: Extra }> {
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
    return { owner, stored: BigInt(stored), amount: updateWhole(stored, holdings) };
  });
}

function byAmountDescending(a: Holder, b: Holder): number {
  const difference = BigInt(b.amount) - BigInt(a.amount);
  if (difference !== 0n) return difference < 0n ? -1 : 1;
  return a.owner <= b.owner ? 1 : -1;
}

/** Reads the owner's holdings by token and id. Throws `RequestError` for too many unsure holdings. */
export async function readOwnedTokens(
  context: Context,
  owner: Address,
  standards: readonly TokenStandard[],
  page: PageRange,
): Promise<OwnedToken[]> {
  const { found, fresh } = await readWithHoldings(context, { owner }, async (sql, unsure) => {
    const window = windowAround(page, unsure.length);
    return { window, settled: await listOwnedTokens(sql, owner, standards, unsure, window) };
  });
  const held = fresh
    .filter(({ standard, freshAmount }) => standards.includes(standard) && freshAmount > 0n)
    // An ERC-1155 token is listed by id only, even if it also moves amounts without one.
    .filter(({ standard, tokenId }) => standard !== 1155 || tokenId !== null)
    .map((holding) => ({ ...holding, amount: String(holding.freshAmount) }));
  const [token, tokenId] = page.after ?? [];
  const last = token && tokenId ? { token, tokenId } : undefined;
  const isBehind = (entry: Keyed) => !last || byTokenAndId(last, entry) < 0;
  return mergePage(found.settled, held.filter(isBehind), byTokenAndId, page, found.window);
}

type Keyed = { token: string; tokenId: string | null };

/** Returns the key of an entry in the lists of an owner, see `listOwnedTokens`. */
export function keyOfOwned({ token, tokenId }: OwnedToken): string[] {
  return [token, tokenId ?? "-1"];
}

function byTokenAndId(a: Keyed, b: Keyed): number {
  if (a.token !== b.token) return a.token < b.token ? -1 : 1;
  return BigInt(a.tokenId ?? -1) <= BigInt(b.tokenId ?? -1) ? -1 : 1;
}
