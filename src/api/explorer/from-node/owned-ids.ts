import { decodeUint } from "../../../chain/state/abi.ts";
import { type Address, wordOfAddress } from "../../../core/evm/address.ts";
import { type Hex, hexConcat, wordOf } from "../../../core/evm/hex.ts";
import type { PageRange } from "../../../store/lists/large-pages.ts";
import { countConsecutiveTransfers } from "../../../store/state/consecutive-transfers.ts";
import {
  listIdsInLogs,
  listIdsOfHybrid,
  listKnownIds,
  listNftsOfOwner,
} from "../../../store/state/nft-owners.ts";
import { getToken } from "../../../store/state/tokens/token.ts";
import type { Context } from "../action.ts";
import { failed, type Outcome, ok } from "../envelope.ts";
import { answered } from "./history.ts";

/** Most ids of one answer whose owner is read from the contract. */
const READABLE_IDS = 1_000;
/** Latest logs of a collection that may name ids without a transfer. */
const READABLE_LOGS = 500;
/** `erc721BalanceOf(address)`: a token with amounts and ids (ERC-404) counts the ids by it, if at all. */
const ERC721_BALANCE_OF = "0xb3f9ea34";

/** Returns a page of the ids that `ownerOf` gives to an owner. Where the contract counts more, it is asked for the collection's other ids. */
export async function readOwnedIds(
  { read, chain }: Pick<Context, "read" | "chain">,
  token: Address,
  owner: Address,
  page: PageRange,
): Promise<Outcome<{ id: string; isOwned: boolean }[]>> {
  const { standard, ids, some, hybrid, known, logged, movedTogether, head } = await read(
    async (sql, served) => ({
      standard: (await getToken(sql, token))?.standard,
      ids: await listNftsOfOwner(sql, token, owner, { limit: READABLE_IDS + 1, skip: 0 }),
      some: await listNftsOfOwner(sql, token, owner, page),
      hybrid: await listIdsOfHybrid(sql, token, owner, READABLE_IDS),
      known: await listKnownIds(sql, token, READABLE_IDS + 1),
      logged: await listIdsInLogs(sql, token, READABLE_LOGS),
      movedTogether: await countConsecutiveTransfers(sql, token, 1),
      head: await served,
    }),
  );
  const isCollection = standard === 721;
  const hasIds = isCollection || ids === undefined || ids.length + hybrid.length + known.length > 0;
  if (standard === undefined || !hasIds) return ok([]);

  const ask = (data: readonly Hex[]) =>
    chain.fetchCalls(
      data.map((one) => ({ to: token, data: one })),
      head,
    );
  const fetchOwners = (asked: readonly string[]) =>
    ask(asked.map((id) => hexConcat("0x6352211e", wordOf(BigInt(id)))));
  const isOwner = (answer: Hex | null = null) => decodeUint(answer) === BigInt(owner);

  if (ids && ids.length > READABLE_IDS) {
    const owners = await fetchOwners(some ?? []);
    return ok((some ?? []).map((id, at) => ({ id, isOwned: isOwner(owners[at]) })));
  }
  const first = [...new Set([...(ids ?? known.slice(0, READABLE_IDS)), ...hybrid])];
  const [owners, [counted]] = await Promise.all([
    fetchOwners(first),
    isCollection
      ? chain.fetchTokenBalances([{ token, owner }], head)
      : ask([hexConcat(ERC721_BALANCE_OF, wordOfAddress(owner))]).then((all) =>
          all.map((one) => decodeUint(one)),
        ),
  ]);
  const owned = first.filter((_, at) => isOwner(owners[at]));
  const isShort = (more = 0) => BigInt(owned.length + more) < (answered(counted) ?? 0n);
  const addOwned = async (candidates: readonly string[]) => {
    const others = [...new Set(candidates)].filter((id) => !first.includes(id));
    const theirs = await fetchOwners(others.slice(0, READABLE_IDS));
    const found = others.filter((id, at) => isOwner(theirs[at]) && !owned.includes(id));
    owned.push(...found);
  };
  if (isShort()) await addOwned(known);
  // Consecutive ids (ERC-2309) are listed where they have a transfer of their own (docs/wire.md).
  if (isShort() && (movedTogether === 0 || ids === undefined)) {
    // tokenOfOwnerByIndex of ERC-721's enumeration.
    const ofOwner = hexConcat("0x2f745c59", wordOfAddress(owner));
    const places = Array.from({ length: Math.min(Number(counted), READABLE_IDS) }, (_, at) =>
      hexConcat(ofOwner, wordOf(at)),
    );
    const listed = await ask(places);
    await addOwned(listed.flatMap((answer) => decodeUint(answer)?.toString() ?? []));
    if (isShort()) await addOwned(logged);
    // A lapsed id has no owner, but may still be counted.
    const lapsed = owners.filter((answer) => answer === null).length;
    if (isShort(lapsed)) return failed("unsupported", UNKNOWN_IDS);
  }
  const last = BigInt(page.after?.[0] ?? -1);
  const behind = owned.filter((id) => BigInt(id) > last);
  behind.sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1));
  const shown = behind.slice(page.skip, page.skip + page.limit);
  return ok(shown.map((id) => ({ id, isOwned: true })));
}

const UNKNOWN_IDS = "The contract counts ids of the address without a transfer of their own";
