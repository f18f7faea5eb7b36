import { type Address, wordOfAddress } from "../../../core/evm/address.ts";
import type { PageRange } from "../../../store/lists/large-pages.ts";
import { countConsecutiveTransfers } from "../../../store/state/consecutive-transfers.ts";
import { listKnownIds, listNftsOfOwner } from "../../../store/state/nft-owners.ts";
import { getToken } from "../../../store/state/tokens/token.ts";
import type { Context } from "../action.ts";
import { failed, type Outcome, ok } from "../envelope.ts";
import { answered } from "./history.ts";

/** Ids of one answer for which the contract is asked for the owner. */
const READABLE_IDS = 1_000;

/** Returns a page of the ids that `ownerOf` gives to an owner; asks for the collection's other ids where the contract counts more. */
export async function readOwnedIds(
  { read, chain }: Pick<Context, "read" | "chain">,
  token: Address,
  owner: Address,
  page: PageRange,
): Promise<Outcome<{ id: string; isOwned: boolean }[]>> {
  const { standard, ids, some, known, movedTogether, head } = await read(async (sql, served) => ({
    standard: (await getToken(sql, token))?.standard,
    ids: await listNftsOfOwner(sql, token, owner, { limit: READABLE_IDS + 1, skip: 0 }),
    some: await listNftsOfOwner(sql, token, owner, page),
    known: await listKnownIds(sql, token, READABLE_IDS + 1),
    movedTogether: await countConsecutiveTransfers(sql, token, 1),
    head: await served,
  }));
  if (standard === undefined || (standard !== 721 && ids?.length === 0)) return ok([]);

  const ownersOf = async (asked: readonly string[]) => {
    const calls = asked.map((id) => ({
      to: token,
      data: `0x6352211e${BigInt(id).toString(16).padStart(64, "0")}` as const,
    }));
    return chain.fetchCalls(calls, head);
  };
  const isOwner = (answer: unknown) => answer === wordOfAddress(owner);

  if (ids && ids.length > READABLE_IDS) {
    const owners = await ownersOf(some ?? []);
    return ok((some ?? []).map((id, at) => ({ id, isOwned: isOwner(owners[at]) })));
  }
  const first = ids ?? known.slice(0, READABLE_IDS);
  const [owners, [counted]] = await Promise.all([
    ownersOf(first),
    chain.fetchTokenBalances([{ token, owner }], head),
  ]);
  const owned = first.filter((_, at) => isOwner(owners[at]));
  // A lapsed id has no owner, but may still be counted.
  const lapsed = owners.filter((answer) => answer === null).length;
  const missing = (answered(counted) ?? 0n) - BigInt(owned.length + lapsed);
  if (missing > 0n) {
    const others = known.filter((id) => !first.includes(id)).slice(0, READABLE_IDS);
    const theirs = await ownersOf(others);
    owned.push(...others.filter((_, at) => isOwner(theirs[at])));
    // Of consecutive ids (ERC-2309) only those with a transfer of their own are listed (docs/wire.md).
    const isKnown = movedTogether > 0 && ids !== undefined;
    if (!isKnown && BigInt(owned.length + lapsed) < (counted ?? 0n))
      return failed("unsupported", UNKNOWN_IDS);
  }
  const last = BigInt(page.after?.[0] ?? -1);
  const behind = owned.filter((id) => BigInt(id) > last);
  behind.sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1));
  const shown = behind.slice(page.skip, page.skip + page.limit);
  return ok(shown.map((id) => ({ id, isOwned: true })));
}

const UNKNOWN_IDS = "The contract counts ids of the address without a transfer of their own";
