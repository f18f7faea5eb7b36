import type { AskOptions } from "../../../chain/options.ts";
import type { TokenBalanceQuery } from "../../../chain/questions.ts";
import { LARGEST_GROUP } from "../../../chain/state/contract-calls.ts";
import { standardOf } from "../../../chain/state/token-standard.ts";
import { makesCalls } from "../../../chain/state/unresponsive-contracts.ts";
import { chunk, mapLimit } from "../../../core/async.ts";
import { ChainError, RequestError } from "../../../core/errors.ts";
import type { Address } from "../../../core/evm/address.ts";
import { isUint256 } from "../../../core/evm/uint256.ts";
import type { Queryable } from "../../../db/client.ts";
import type { TokenStandard } from "../../../store/lists/token-transfers.ts";
import {
  getHolding,
  type Holding,
  type HoldingScope,
  listHeldIds,
  listUnsureHoldings,
  type OwnedToken,
  type UnsureHolding,
  type UnsureReason,
} from "../../../store/state/token-balances/holdings.ts";
import type { ServedHead } from "../../../store/sync-state.ts";
import type { Context } from "../action.ts";

/** Time limit of a question about several contracts, and of all these questions together, which run concurrently. */
const TOGETHER = { answerMs: 1_500 };
const ALL_TOGETHER_MS = 3_000;
/** Time limit of one contract alone, and time after which no further ones are asked alone. */
export const ALONE = { answerMs: 3_000 };
export const ALL_ALONE_MS = 3_000;
/** Half of a caller's default slots at a node, see `chain/rpc/limits.ts`. */
export const AT_ONCE = 2;

/** With these errors a contract may have made the whole request fail. */
export const SPOILT: ReadonlySet<string> = new Set([
  "timeout",
  "aborted",
  "unavailable",
  "node-error",
  "bad-answer",
  "response-too-large",
]);

type Reported = bigint | null | undefined;

/** Reads balances at the head in the order of the queries; undefined without an answer. A contract that stalls is asked alone. */
export async function fetchReportedBalances(
  { chain, unresponsive }: Pick<Context, "chain" | "unresponsive">,
  queries: readonly TokenBalanceQuery[],
  head: ServedHead,
): Promise<Reported[]> {
  const reported = new Map<TokenBalanceQuery, Reported>();
  const byToken = Map.groupBy(queries, ({ token }) => token);
  for (const token of byToken.keys()) if (unresponsive.rests(token)) byToken.delete(token);

  async function ask(asked: TokenBalanceQuery[], within: AskOptions): Promise<boolean> {
    try {
      const amounts = await chain.fetchTokenBalances(asked, head, within);
      for (const [index, query] of asked.entries()) reported.set(query, amounts[index]);
      return true;
    } catch (error) {
      if (error instanceof ChainError && SPOILT.has(error.code)) return false;
      throw error;
    }
  }

  async function askAlone(token: Address): Promise<void> {
    const asked = byToken.get(token) ?? [];
    const isAnswered = async (within: AskOptions) =>
      (await ask(asked, within)) && asked.every((query) => reported.get(query) !== undefined);
    let answers = await isAnswered(ALONE);
    if (!answers && !(await makesCalls(chain, head, ALONE))) throw unanswered();
    // The node may have stalled, and answers again.
    answers ||= await isAnswered(TOGETHER);
    if (answers) unresponsive.delete(token);
    else unresponsive.add(new Set([token]));
  }

  // At the time limit a suspect may stay unanswered; for any other token the node itself has failed.
  const suspects = unresponsive.all();
  const together = [...byToken.keys()].filter((token) => !suspects.has(token));
  if (together.length > 1) {
    const asked = together.flatMap((token) => byToken.get(token) ?? []);
    const within = { ...TOGETHER, signal: AbortSignal.timeout(ALL_TOGETHER_MS) };
    const groups = chunk(asked, LARGEST_GROUP).map(async (group) => {
      if (await ask(group, within)) for (const { token } of group) suspects.add(token);
    });
    await Promise.all(groups);
  }
  const open = [...byToken].filter(([, asked]) =>
    asked.some((query) => reported.get(query) === undefined),
  );
  const late = AbortSignal.timeout(ALL_ALONE_MS);
  const left = new Set<Address>();
  await mapLimit(open, AT_ONCE, async ([token]) => {
    if (!late.aborted) await askAlone(token);
    else if (suspects.has(token)) left.add(token);
    else throw unanswered();
  });
  if (left.size > 0) unresponsive.add(left);
  return queries.map((query) => reported.get(query));
}

function unanswered(): ChainError {
  return new ChainError("unavailable", "the node leaves contract calls unanswered");
}

/** Most balances that one answer reads from the node. */
export const READABLE_BALANCES = 200;

/** Most ids of an owner that one answer reads. */
const READABLE_IDS = 1_000;
const TOO_MANY_IDS = "The address has too many ids of the token to ask its contract for each";

/** Returns the error for an answer that needs more than `READABLE_BALANCES`. */
export function stillReading(): RequestError {
  return new RequestError(
    503,
    "loading",
    "Balances are still being read from the node, please try again later",
  );
}

export type UnsureOwnedToken = UnsureHolding & OwnedToken;

/** An unsure holding, with the contract's amount. */
export type Fresh<Unsure extends Holding> = Unsure & { freshAmount: bigint };

/** Reads rows with `query`, which must leave out the scope's unsure holdings, and those from the node. Throws `RequestError`. */
export async function readWithHoldings<Found>(
  context: Context,
  scope: HoldingScope,
  query: (sql: Queryable, unsure: readonly UnsureOwnedToken[]) => Promise<Found>,
): Promise<{ found: Found; fresh: Fresh<UnsureOwnedToken>[] }> {
  const { head, unsure, found } = await context.read(async (sql, served) => {
    const holdings = await listUnsure(sql, scope);
    return { head: await served, unsure: holdings, found: await query(sql, holdings) };
  });
  return { found, fresh: await fetchHoldings(context, unsure, head) };
}

/** Lists pending holdings, and irregular ones: where there are too many, an owner's oldest only, since new tokens may be spam. */
export async function listUnsure(sql: Queryable, scope: HoldingScope): Promise<UnsureOwnedToken[]> {
  const list = (reason: UnsureReason) =>
    listUnsureHoldings(sql, scope, reason, READABLE_BALANCES + 1);
  const [pending, irregular] = await Promise.all([list("pending"), list("irregular")]);
  if (pending.length > READABLE_BALANCES) throw stillReading();
  if (irregular.length > READABLE_BALANCES && scope.owner === undefined) return pending;
  const byKey = new Map(
    [...pending, ...irregular.slice(0, READABLE_BALANCES)].map((holding) => [
      `${holding.token}${holding.owner}${holding.tokenId}`,
      holding,
    ]),
  );
  return [...byKey.values()];
}

/**
 * Returns the owner's holding at the served head as the contract reports it, as a whole or by id; null if the contract of a known
 * token does not answer, since the sum of transfers may be wrong.
 */
export async function readHolding(
  context: Context,
  token: Address,
  owner: Address,
): Promise<bigint | null> {
  const { head, found } = await context.read(async (sql, served) => ({
    head: await served,
    found: await findHolding(sql, token, owner),
  }));
  return askHolding(context, { token, owner }, found, head);
}

/** A stored holding and its ids. */
export type FoundHolding = Awaited<ReturnType<typeof findHolding>>;

/** Reads the stored part of `readHolding`. */
export async function findHolding(sql: Queryable, token: Address, owner: Address) {
  return {
    known: await getHolding(sql, token, owner),
    ids: await listHeldIds(sql, token, owner, READABLE_IDS + 1),
  };
}

/** Asks the contract for `readHolding`. */
export async function askHolding(
  context: Pick<Context, "chain" | "unresponsive">,
  { token, owner }: { token: Address; owner: Address },
  { known, ids }: FoundHolding,
  head: ServedHead,
): Promise<bigint | null> {
  if (known?.isAsked === false) return null;
  if (ids.length > READABLE_IDS) throw new RequestError(503, "too-large", TOO_MANY_IDS);
  const byId = ids.map(({ tokenId }) => ({ token, owner, id: BigInt(tokenId ?? 0) }));
  // Without a node the stored amounts count where they were read at this head.
  const isOfIds = known?.standard === 1155;
  const stored = isOfIds ? ids : known ? [known] : [];
  const isCurrent = stored.length > 0 && stored.every((one) => one.readBlock === head.number);
  const reported = await fetchReportedBalances(context, [{ token, owner }, ...byId], head).catch(
    (error: unknown) => {
      if (!isCurrent || !(error instanceof ChainError)) throw error;
    },
  );
  if (!reported) return sumOf(stored.map(({ amount }) => acceptedAmount(BigInt(amount))));
  const [whole, ...amounts] = reported;
  const answered = amounts.filter((amount) => typeof amount === "bigint");
  const ofIds = ids.length > 0 && answered.length === ids.length ? sumOf(answered) : null;
  if (isOfIds) return ofIds ?? whole ?? (ids.length === 0 ? 0n : null);
  const amount = whole ?? ofIds;
  if (amount !== undefined && amount !== null) return amount;
  if (!known) return 0n;
  // A proxy may have been upgraded to ERC-1155 without an event.
  const isSilent = whole === null && ids.length === 0;
  return isSilent && (await isNowOfIds(context, token, known.standard, head)) ? 0n : null;
}

async function isNowOfIds(
  { chain }: Pick<Context, "chain">,
  token: Address,
  stored: TokenStandard,
  head: ServedHead,
): Promise<boolean> {
  const [metadata] = await chain.fetchTokenMetadata([token], head);
  return metadata !== undefined && standardOf(stored, metadata) === 1155;
}

/** Returns the whole holding after replacing the stored amounts of its parts with fresh ones. */
export function updateWhole(stored: string, parts: readonly Fresh<UnsureHolding>[]): bigint {
  return parts.reduce(
    (whole, { freshAmount, amount }) => whole + freshAmount - BigInt(amount),
    BigInt(stored),
  );
}

/** Reads holdings from their contracts at the head. Without an answer the stored amount stays, or 0 if it is out of range. */
export async function fetchHoldings<Unsure extends Holding>(
  context: Pick<Context, "chain" | "unresponsive">,
  holdings: readonly Unsure[],
  head: ServedHead,
): Promise<Fresh<Unsure>[]> {
  const amounts = await fetchReportedBalances(
    context,
    holdings.map(({ token, owner, tokenId }) => ({
      token,
      owner,
      ...(tokenId !== null && { id: BigInt(tokenId) }),
    })),
    head,
  );
  return holdings.map((holding, index) => ({
    ...holding,
    freshAmount: amounts[index] ?? acceptedAmount(BigInt(holding.amount)),
  }));
}

function sumOf(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

function acceptedAmount(stored: bigint): bigint {
  return isUint256(stored) ? stored : 0n;
}
