import { decodeUint } from "../../../chain/state/abi.ts";
import { describesItself, standardOf } from "../../../chain/state/token-standard.ts";
import { type Address, lowerAddress, wordOfAddress } from "../../../core/evm/address.ts";
import { type Hex, hexConcat, wordOf } from "../../../core/evm/hex.ts";
import type { Queryable } from "../../../db/client.ts";
import type { PageRange } from "../../../store/lists/large-pages.ts";
import type { TokenStandard } from "../../../store/lists/token-transfers.ts";
import { countConsecutiveTransfers } from "../../../store/state/consecutive-transfers.ts";
import {
  listIdsInLogs,
  listIdsOfHybrid,
  listKnownIds,
  listNftsOfOwner,
} from "../../../store/state/nft-owners.ts";
import {
  getHolderPage,
  type Holder,
  listHolders,
  listOwnedTokens,
  type OwnedToken,
} from "../../../store/state/token-balances/holdings.ts";
import {
  countPastTransfers,
  listPastHolders,
} from "../../../store/state/token-balances/past-holders.ts";
import { getToken, type Token } from "../../../store/state/tokens/token.ts";
import type { ServedHead } from "../../../store/sync-state.ts";
import type { Context } from "../action.ts";
import { type Failure, failed, type Outcome, ok } from "../envelope.ts";
import { answered, atBlock, type PastBlock } from "./accounts.ts";
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

/** Most transfers that one answer sums. */
const MOST_TRANSFERS = 200_000;
/** Most balances that one answer compares with the contract. */
const MOST_BALANCES = 2_000;
const TOO_MANY = "The token has too many transfers to add up its holders at a block";
const TOO_LONG = "Too many balances to compare with the contract, please use smaller pages";
const EARLIER = "The transfers before the first indexed block are not known";
const OTHERWISE = "The contract's balances at this block are not the sums of its transfers";
const TOTAL_SUPPLY = "0x18160ddd";

type Found = Awaited<ReturnType<typeof listPastHolders>> & { isCounted: boolean };

/**
 * Returns a page of a token's holders after a block, by amount and address, descending: the sums of its transfers, where the contract
 * reports the same at that block, and for ERC-20 the same supply.
 */
export function readPastHolders(
  context: Context,
  token: Address,
  blockNumber: number,
): Promise<Outcome<Holder[]>> {
  const read = async (sql: Queryable): Promise<Found | Failure> => {
    const standard = (await getToken(sql, token))?.standard;
    if (standard === undefined) return { holders: [], total: "0", isCounted: false };
    const counted = await countPastTransfers(sql, token, blockNumber, MOST_TRANSFERS + 1);
    if (counted.lacksEarlier) return failed("state-unavailable", EARLIER);
    if (counted.transfers > MOST_TRANSFERS) return failed("too-large", TOO_MANY);
    const list = { token, standard, block: blockNumber };
    return {
      ...(await listPastHolders(sql, list, context.page)),
      isCounted: standard === 20 && counted.transfers > 0,
    };
  };
  return atBlock(context, blockNumber, read, (block, found) =>
    compare(context, token, block, found),
  );
}

async function compare(
  { chain }: Context,
  token: Address,
  block: PastBlock,
  { holders, total, isCounted }: Found,
): Promise<Outcome<Holder[]>> {
  // Compares the whole balance, or that of each id.
  const held = holders.flatMap(({ owner, amount, byId }) =>
    (byId?.split(",") ?? [`:${amount}`]).map((pair) => {
      const [id = "", sum = "0"] = pair.split(":");
      return { owner, id: id === "" ? undefined : BigInt(id), amount: BigInt(sum) };
    }),
  );
  if (held.length > MOST_BALANCES) return failed("too-large", TOO_LONG);
  const queries = held.map(({ owner, id }) => ({ token, owner, ...(id !== undefined && { id }) }));
  const [amounts, [supply]] = await Promise.all([
    queries.length > 0 ? chain.fetchTokenBalances(queries, block) : [],
    isCounted ? chain.fetchCalls([{ to: token, data: TOTAL_SUPPLY }], block) : [],
  ]);
  const isSupply = typeof supply === "string" && /^0x[0-9a-f]{64}$/.test(supply);
  const isSame =
    held.every(({ amount }, index) => amounts[index] === amount) &&
    (!isSupply || holders.length === 0 || BigInt(supply) === BigInt(total));
  return isSame ? ok(holders) : failed("unsupported", OTHERWISE);
}

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

/** Returns a token as its contract describes itself at the head, else as stored; undefined if not indexed. Throws `ChainError`. */
export async function readToken(
  { read, chain }: Context,
  address: Address,
): Promise<Token | undefined> {
  const found = await read(async (sql, served) => {
    const token = await getToken(sql, address);
    return token && { token, head: await served };
  }, "one statement");
  if (!found) return undefined;
  return describeToken(chain, found.token, found.head);
}

/** Returns a token as its contract describes itself at the head, else as stored. Throws `ChainError`. */
export async function describeToken(chain: Context["chain"], token: Token, head: ServedHead) {
  if (token.supplyBlock === head.number && token.metadataBlock === head.number) return token;
  const [[supply], [metadata]] = await Promise.all([
    chain.fetchTotalSupplies([token.address], head),
    chain.fetchTokenMetadata([token.address], head),
  ]);
  const reported = answered(metadata);
  const totalSupply = answered(supply)?.toString() ?? null;
  const { name, symbol, decimals } = describesItself(reported) ? reported : token;
  const standard = standardOf(token.standard, reported);
  return { ...token, name, symbol, decimals, totalSupply, standard, cataloged: true };
}
