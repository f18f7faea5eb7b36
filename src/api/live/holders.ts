import type { Address } from "../../core/address.ts";
import { getHolderPage, type Holder, listHolders } from "../../store/holdings.ts";
import type { PageRange } from "../../store/page.ts";
import { getToken } from "../../store/token-facts.ts";
import type { Services } from "../action.ts";
import { type DoubtedHolding, type Fresh, readWithHoldings, wholeOf } from "./holdings.ts";
import { mergePage, windowAround } from "./merge.ts";

/**
 * Holders of a token at the served head by amount, then address, both descending. Throws `RequestError` when too many
 * holdings are in doubt to be read from the node.
 */
export async function readHolders(
  services: Services,
  token: Address,
  page: PageRange,
): Promise<Holder[]> {
  const stored = await getHolderPage(services.sql, token, page);
  if (!stored.unsure) return stored.holders;
  const { found, fresh } = await readWithHoldings(services, { token }, async (sql, doubted) => {
    const owners = [...new Set(doubted.map((holding) => holding.owner))];
    const window = windowAround(page, owners.length);
    return { window, settled: await listHolders(sql, token, owners, window) };
  });
  const holders = wholesByOwner(fresh)
    .filter(({ amount }) => amount > 0n)
    .map(({ owner, amount }) => ({ owner, amount: String(amount) }));
  return mergePage<Holder>(found.settled, holders, byAmountDescending, page, found.window);
}

/** Number of holders of a token at the served head; 0 for an unknown token. Throws as `readHolders`. */
export async function readHolderCount(services: Services, token: Address): Promise<number> {
  const { found, fresh } = await readWithHoldings(services, { token }, (sql) =>
    getToken(sql, token),
  );
  return wholesByOwner(fresh).reduce(
    (count, { amount, stored }) => count + Number(amount > 0n) - Number(stored > 0n),
    found?.holderCount ?? 0,
  );
}

function wholesByOwner(fresh: readonly Fresh<DoubtedHolding>[]) {
  const parts = Map.groupBy(fresh, ({ owner }) => owner);
  return [...parts].map(([owner, holdings]) => {
    const stored = holdings[0]?.whole ?? "0";
    return { owner, stored: BigInt(stored), amount: wholeOf(stored, holdings) };
  });
}

function byAmountDescending(a: Holder, b: Holder): number {
  const difference = BigInt(b.amount) - BigInt(a.amount);
  if (difference !== 0n) return difference < 0n ? -1 : 1;
  return a.owner < b.owner ? 1 : -1;
}
