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
    // A token of ids is listed by them, also where it moves amounts without an id.
    .filter(({ standard, tokenId }) => standard !== 1155 || tokenId !== null)
    .map((holding) => ({ ...holding, amount: String(holding.freshAmount) }));
  return mergePage<OwnedToken>(found.settled, held, byTokenAndId, page, found.window);
}

function byTokenAndId(a: OwnedToken, b: OwnedToken): number {
  if (a.token !== b.token) return a.token < b.token ? -1 : 1;
  const difference = BigInt(a.tokenId ?? 0) - BigInt(b.tokenId ?? 0);
  return difference < 0n ? -1 : 1;
}
