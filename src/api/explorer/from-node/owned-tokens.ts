import type { Address } from "../../../core/evm/address.ts";
import type { PageRange } from "../../../store/lists/large-pages.ts";
import type { TokenStandard } from "../../../store/lists/token-transfers.ts";
import { listOwnedTokens, type OwnedToken } from "../../../store/state/token-balances/holdings.ts";
import type { Context } from "../action.ts";
import { readWithHoldings } from "./holdings.ts";
import { mergePage, windowAround } from "./merge.ts";

/** Reads the owner's holdings by token and id. Throws `RequestError` when too many unsure ones are to be read. */
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
    // A token with ids is listed by id, also where it moves amounts without one.
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
