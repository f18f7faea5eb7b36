import type { ContractCall } from "../../../chain/questions.ts";
import { decodeUint } from "../../../chain/state/abi.ts";
import { makesCalls } from "../../../chain/state/unresponsive-contracts.ts";
import { mapLimit } from "../../../core/async.ts";
import { ChainError, RequestError } from "../../../core/errors.ts";
import { type Address, addressOfWord, wordOfAddress } from "../../../core/evm/address.ts";
import { isContractCode } from "../../../core/evm/contract-code.ts";
import { type Hex, hexConcat, hexLength, wordOf } from "../../../core/evm/hex.ts";
import type { PageKey } from "../../../store/lists/large-pages.ts";
import {
  APPROVAL,
  APPROVAL_FOR_ALL,
  type LogEntry,
  type LogPattern,
  listNamedApprovals,
  searchLogs,
} from "../../../store/lists/logs.ts";
import { InvalidKey } from "../../../store/lists/page.ts";
import { listMovedIds } from "../../../store/state/nft-owners.ts";
import { getToken, type Token } from "../../../store/state/tokens/token.ts";
import type { ServedHead } from "../../../store/sync-state.ts";
import { TOO_LARGE } from "../../http/failures.ts";
import type { Context } from "../action.ts";
import {
  ALL_ALONE_MS,
  ALONE,
  AT_ONCE,
  askHolding,
  type FoundHolding,
  fetchReportedBalances,
  findHolding,
  SPOILT,
} from "./holdings.ts";

/** Most logs of an owner that one answer reads, and most candidates that the node confirms for it. */
const MOST_LOGS = 20_000;
const MOST_CANDIDATES = 2_000;
/** Most logs above a page that are searched for what they named before. */
const MOST_NEWER = 200_000;
const FEWEST_AT_ONCE = 64;

export const KINDS = ["allowance", "token", "operator"] as const;
type Kind = (typeof KINDS)[number];

/** Conditions on the listed approvals. */
export interface ApprovalFilter {
  token?: Address | undefined;
  spender?: Address | undefined;
  kind?: Kind | undefined;
}

/** An approval, and the newest event that names it. */
export interface Approval {
  kind: Kind;
  log: LogEntry;
  spender: Address;
  /** Set for `token` alone. */
  id?: Hex;
  /** Set for a proven `allowance` alone. */
  value?: bigint;
  isProven: boolean;
}

/** A token in the index, and the owner's stored holding. */
type Known = FoundHolding & { token: Token | undefined };

type Found = Awaited<ReturnType<typeof findCandidates>>;

/** Reads the candidates after the page's key, with the stored facts of their tokens. */
async function findCandidates({ read, page }: Context, owner: Address, filter: ApprovalFilter) {
  const topic2 = filter.spender && wordOfAddress(filter.spender);
  const patterns: LogPattern[] = [
    [APPROVAL, filter.kind === "allowance" ? topic2 : undefined] as const,
    [APPROVAL_FOR_ALL, topic2] as const,
  ].map(([topic0, spender]) => ({
    address: filter.token,
    topics: [topic0, wordOfAddress(owner), spender],
  }));
  const behind = parseKey(page.after);
  return read(async (sql, served) => {
    // The key's own log may name a further approval.
    const after = behind && [behind[0], behind[1] + 1].map(String);
    const most = { limit: MOST_LOGS + 1, skip: 0, ...(after && { after }) };
    const logs = await searchLogs(sql, patterns, { from: 0, to: "latest" }, most, "desc");
    const all = listCandidates(logs.slice(0, MOST_LOGS), filter).filter(
      (one) => !behind || isBehind(keyOfApproval(one), behind),
    );
    const bounded = all.slice(0, MOST_CANDIDATES);
    const named = behind
      ? await listNamedApprovals(sql, wordOfAddress(owner), behind, bounded.map(nameOf), MOST_NEWER)
      : new Set<Hex>();
    if (!named) throw new RequestError(503, "too-large", TOO_LARGE);
    const candidates = bounded.filter((one) => !named.has(nameOf(one)));
    const tokens = [...new Set(candidates.map(({ log }) => log.address))];
    const found = tokens.map(async (token): Promise<[Address, Known]> => {
      const holding = await findHolding(sql, token, owner);
      return [token, { token: await getToken(sql, token), ...holding }];
    });
    const ids = candidates.flatMap(({ id, log }) =>
      id ? [{ token: log.address, tokenId: String(BigInt(id)) }] : [],
    );
    return {
      head: await served,
      /** The key that further candidates come behind. */
      end: endOf(all, logs),
      candidates,
      known: new Map(await Promise.all(found)),
      moved: new Set((await listMovedIds(sql, owner, ids)).map((id) => id.token + id.tokenId)),
    };
  });
}

/** Returns the key that further candidates come behind; undefined where these are all. */
function endOf(all: readonly Approval[], logs: readonly LogEntry[]): Key | undefined {
  const last = all[MOST_CANDIDATES] && all[MOST_CANDIDATES - 1];
  const lastLog = logs[MOST_LOGS] && logs[MOST_LOGS - 1];
  if (last) return keyOfApproval(last);
  return lastLog && keyOfApproval({ log: lastLog, kind: "token" });
}

/** Returns a page of the owner's approvals that their tokens confirm at the served head, newest event first. */
export async function readApprovals(context: Context, owner: Address, filter: ApprovalFilter) {
  const found = await findCandidates(context, owner, filter);
  const { limit, skip, after } = context.page;
  const needed = limit && skip + limit;
  const { candidates, end } = found;
  const rows: Approval[] = [];
  for (let at = 0; at < candidates.length && rows.length < needed; ) {
    const some = candidates.slice(at, at + Math.max(FEWEST_AT_ONCE, needed - rows.length));
    const confirmed = await confirm(context, owner, some, found);
    rows.push(...confirmed.filter((row) => !filter.spender || row.spender === filter.spender));
    at += some.length;
  }
  const next = rows.length < needed ? end : undefined;
  if (next && !after) throw new RequestError(503, "too-large", TOO_LARGE);
  const shown = rows.slice(skip, needed);
  const holdings = await readHoldings(context, owner, shown, found);
  return {
    rows: shown,
    known: found.known,
    holdings,
    next: next?.map(String),
  };
}

async function confirm(
  context: Context,
  owner: Address,
  candidates: readonly Approval[],
  { head, known, moved }: Found,
): Promise<Approval[]> {
  const isCollection = ({ log }: Approval) => known.get(log.address)?.token?.standard === 721;
  // The event of an old collection has the id in its data, in the place of an amount.
  const asked = candidates.filter(
    (one) => one.kind !== "token" || one.log.topic3 || isCollection(one),
  );
  const views = asked.map((one) => buildCalls(one, owner));
  const answers = await callTokens(context, views.flat(), head);
  return asked.flatMap((one, at) => {
    // A burnt id has no owner, and a collection has no allowances.
    const mayFail =
      one.kind === "token"
        ? !moved.has(one.log.address + BigInt(one.id ?? 0))
        : one.kind === "operator" || !isCollection(one);
    return judge(one, owner, answers.splice(0, views[at]?.length), mayFail);
  });
}

type Key = [blockNumber: number, logIndex: number, isNoToken: number];

/** Returns the position of an approval in the list, descending. */
export function keyOfApproval({ log, kind }: Pick<Approval, "log" | "kind">): Key {
  return [log.blockNumber, log.logIndex, kind === "token" ? 0 : 1];
}

/** Returns the position that a page's key names; undefined at the beginning. Throws `InvalidKey`. */
function parseKey(after: PageKey = []): Key | undefined {
  if (after.length === 0) return undefined;
  if (after.length !== 3 || !after.every((part) => /^\d{1,15}$/.test(part))) throw new InvalidKey();
  return after.map(Number) as Key;
}

function isBehind(own: Key, key: Key): boolean {
  const differing = own.findIndex((part, at) => part !== key[at]);
  return differing >= 0 && (own[differing] as number) < (key[differing] as number);
}

/** Returns the name of an approval, see `listNamedApprovals`. */
function nameOf({ kind, log, spender, id }: Approval): Hex {
  const topic0 = kind === "allowance" ? APPROVAL : APPROVAL_FOR_ALL;
  return hexConcat(log.address, ...(id ? [id] : [topic0, wordOfAddress(spender)]));
}

/** Returns each approval in the logs once, with its newest log. */
function listCandidates(logs: readonly LogEntry[], { spender, kind }: ApprovalFilter): Approval[] {
  const found = new Map<string, Approval>();
  const add = (one: Omit<Approval, "isProven">) => {
    const key = nameOf({ ...one, isProven: false });
    const isAsked = one.kind === "token" || !spender || one.spender === spender;
    if (isAsked && (!kind || one.kind === kind) && !found.has(key))
      found.set(key, { ...one, isProven: false });
  };
  for (const log of logs) {
    const { topic0, topic2, topic3, data } = log;
    if (topic2 === null || wordOfAddress(addressOfWord(topic2)) !== topic2) continue;
    const named = { log, spender: addressOfWord(topic2) };
    if (topic0 === APPROVAL_FOR_ALL) add({ ...named, kind: "operator" });
    else if (topic3 !== null) add({ ...named, kind: "token", id: topic3 });
    else {
      add({ ...named, kind: "allowance" });
      if (hexLength(data) === 32) add({ ...named, kind: "token", id: data });
    }
  }
  return [...found.values()];
}

/** Returns the calls that confirm an approval: two for a token, else one. */
function buildCalls({ kind, log, spender, id = "0x" }: Approval, owner: Address) {
  const call = (selector: Hex, ...words: Hex[]) => ({
    to: log.address,
    data: hexConcat(selector, ...words),
  });
  if (kind === "token") return [call("0x6352211e", id), call("0x081812fc", id)];
  const selector = kind === "allowance" ? "0xdd62ed3e" : "0xe985e9c5";
  return [call(selector, wordOfAddress(owner), wordOfAddress(spender))];
}

/** The returned bytes; null or undefined without an answer, `none` without code. */
type Answer = Hex | null | undefined | "none";

/** Makes calls at the head; when a request fails, repeats it for each token alone. Throws `ChainError` when the node fails. */
async function callTokens(
  { chain, unresponsive }: Context,
  calls: readonly ContractCall[],
  head: ServedHead,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  const isSpoilt = (error: unknown) =>
    error instanceof ChainError && (SPOILT.has(error.code) || error.code === "out-of-gas");
  try {
    answers.push(...(await chain.fetchCalls(calls, head)));
  } catch (error) {
    if (!isSpoilt(error)) throw error;
    const late = AbortSignal.timeout(ALL_ALONE_MS);
    const byToken = Map.groupBy(calls.keys(), (at) => calls[at]?.to as Address);
    await mapLimit([...byToken], AT_ONCE, async ([token, places]) => {
      if (late.aborted || unresponsive.rests(token)) return;
      const own = places.map((at) => calls[at] as ContractCall);
      const returned = await chain.fetchCalls(own, head, ALONE).catch(async (failure) => {
        if (!isSpoilt(failure) || !(await makesCalls(chain, head, ALONE))) throw failure;
        unresponsive.add(new Set([token]));
      });
      for (const [index, at] of places.entries()) answers[at] = returned?.[index];
    });
  }
  const silent = [...new Set(calls.filter((_, at) => answers[at] === "0x").map(({ to }) => to))];
  const codes = silent.length > 0 ? await chain.fetchCodes(silent, head) : [];
  const none = new Set(silent.filter((_, at) => !isContractCode(codes[at] ?? "0x")));
  return calls.map(({ to }, at) => (none.has(to) ? "none" : answers[at]));
}

/** Returns the owner's holdings by token, as `readHolding`; undefined if the contract does not answer or there are too many ids. */
async function readHoldings(
  context: Context,
  owner: Address,
  rows: readonly Approval[],
  { known, head }: Found,
): Promise<Map<Address, bigint | undefined>> {
  const tokens = [...new Set(rows.map(({ log }) => log.address))];
  const plain = tokens.filter((token) => {
    const stored = known.get(token)?.known;
    return !stored || (stored.isAsked && stored.standard !== 1155);
  });
  const queries = plain.map((token) => ({ token, owner }));
  const wholes = await fetchReportedBalances(context, queries, head);
  const holdings = new Map(plain.map((token, at) => [token, wholes[at] ?? undefined]));
  await mapLimit(tokens, AT_ONCE, async (token) => {
    const found = known.get(token);
    if (!found || holdings.get(token) !== undefined) return;
    const asked = askHolding(context, { token, owner }, found, head);
    const amount = await asked.catch((error: unknown) => {
      if (!(error instanceof RequestError)) throw error;
    });
    holdings.set(token, amount ?? undefined);
  });
  return holdings;
}

/** Returns the approval if the answers confirm it. Without usable answers it is unproven, and left out unless `mayFail`. */
function judge(one: Approval, owner: Address, answers: readonly Answer[], mayFail: boolean) {
  if (answers[0] === "none") return [];
  const [first, second] = answers.map((answer) => decodeUint((answer as Hex | undefined) ?? null));
  const unproven = mayFail ? [one] : [];
  if (first === null || first === undefined) return unproven;
  if (one.kind === "allowance") return first ? [{ ...one, value: first, isProven: true }] : [];
  if (one.kind === "operator") {
    if (first > 1n) return unproven;
    return first ? [{ ...one, isProven: true }] : [];
  }
  if (first !== BigInt(owner)) return [];
  if (second === null || second === undefined || second >> 160n) return unproven;
  const spender = addressOfWord(wordOf(second));
  return second ? [{ ...one, spender, isProven: true }] : [];
}
