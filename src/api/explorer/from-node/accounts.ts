import type { CallerChain } from "../../../chain/caller-chain.ts";
import type { BlockReference } from "../../../chain/questions.ts";
import { ChainError } from "../../../core/errors.ts";
import type { Address } from "../../../core/evm/address.ts";
import { isContractCode } from "../../../core/evm/contract-code.ts";
import type { Hex } from "../../../core/evm/hex.ts";
import type { Queryable } from "../../../db/client.ts";
import { getBlockReference } from "../../../store/blocks/blocks.ts";
import type { CodePresence } from "../../../store/contracts/creations.ts";
import {
  type CoinAccount,
  listCoinAccounts,
} from "../../../store/state/addresses/coin-balances.ts";
import { getHolding, listHeldIds } from "../../../store/state/token-balances/holdings.ts";
import type { ServedHead } from "../../../store/sync-state.ts";
import { withHead } from "../../reading/snapshot.ts";
import type { Context } from "../action.ts";
import { type Failure, failed, type Outcome, ok } from "../envelope.ts";
import { READABLE_BALANCES, stillReading } from "./holdings.ts";

/** Returns the addresses that are contracts at the head; asks the node about those missing in the index. */
export async function readContracts(
  { chain }: Pick<Context, "chain">,
  presences: readonly CodePresence[],
  head: ServedHead,
): Promise<Set<Address>> {
  const unknown = presences
    .filter(({ isContract }) => isContract === null)
    .map(({ address }) => address);
  const codes = unknown.length === 0 ? [] : await chain.fetchCodes(unknown, head);
  return new Set([
    ...presences.filter(({ isContract }) => isContract).map(({ address }) => address),
    ...unknown.filter((_, index) => isContractCode(codes[index] as Hex)),
  ]);
}

/** Adds the balances at the served head, stored or from the node. Throws `RequestError` if too many need the node. */
export async function readCoinAccounts<Account extends CoinAccount>(
  context: Pick<Context, "read" | "chain">,
  list: (sql: Queryable) => Promise<Account[]>,
): Promise<(Account & { balance: string })[]> {
  const { found: accounts, head } = await withHead(context.read, list, "one statement");
  return fillBalances(context, accounts, head);
}

async function fillBalances<Account extends CoinAccount>(
  { chain }: Pick<Context, "chain">,
  accounts: Account[],
  head: ServedHead,
): Promise<(Account & { balance: string })[]> {
  const asked = accounts.filter(({ balance }) => balance === null);
  if (asked.length > READABLE_BALANCES) throw stillReading();
  const addresses = asked.map(({ address }) => address);
  const balances = asked.length > 0 ? await chain.fetchCoinBalances(addresses, head) : [];
  const byAddress = new Map(addresses.map((address, index) => [address, balances[index]]));
  return accounts.map((account) => ({
    ...account,
    balance: account.balance ?? String(byAddress.get(account.address) ?? 0n),
  }));
}

/** Returns a balance in wei after a block up to the head; undefined if the node has no state, or `onlyKnown` and the address is unseen. */
export async function readBalanceAt(
  context: Pick<Context, "read" | "chain">,
  address: Address,
  blockNumber: number,
  { onlyKnown = false } = {},
): Promise<bigint | undefined> {
  const { chain } = context;
  const { account, head, stored, isPast } = await context.read(async (sql, served) => {
    const [found] = await listCoinAccounts(sql, [address]);
    const head = await served;
    const past = blockNumber < head.number;
    return {
      account: found,
      head,
      isPast: past,
      stored: past ? await getBlockReference(sql, blockNumber) : undefined,
    };
  });
  if (!account || (onlyKnown && !account.known)) return undefined;
  if (!isPast) {
    const [filled] = await fillBalances(context, [account], head);
    return BigInt(filled?.balance ?? 0);
  }
  return atState(chain, blockNumber, stored, async (block) => {
    const [wei] = await chain.fetchCoinBalances([address], block);
    return wei;
  });
}

/** Returns the node's answer about a contract. Throws `ChainError` without one: unknown differs from empty. */
export function answered<Value>(value: Value | undefined): Value {
  if (value !== undefined) return value;
  throw new ChainError("unavailable", "the node leaves a contract call unanswered");
}

export const INVALID_BLOCK = "Invalid blockno format";
/** Error text for a state that the node has pruned. */
export const NO_HISTORY = "Historical state is not available";

/** A block up to the head. */
export interface PastBlock extends BlockReference {
  /** False for a block before the first indexed one. */
  isIndexed: boolean;
}

/**
 * Combines the node's state at a block with what `query` reads. A block above the head is a bad `parameter`; fails with `NO_HISTORY`
 * without state.
 */
export async function atBlock<Found, Result>(
  { read, chain }: Context,
  blockNumber: number,
  query: (sql: Queryable) => Promise<Found | Failure>,
  answer: (block: PastBlock, found: Found) => Promise<Outcome<Result>>,
  parameter = "blockno",
): Promise<Outcome<Result>> {
  const { isAbove, stored, found } = await read(async (sql, head) => ({
    isAbove: blockNumber > (await head).number,
    stored: await getBlockReference(sql, blockNumber),
    found: await query(sql),
  }));
  if (isFailure(found)) return found;
  if (isAbove) return failed("invalid-parameter", `Invalid ${parameter} format`, { parameter });
  const answered = await atState(chain, blockNumber, stored, (block) => answer(block, found));
  return answered ?? failed("state-unavailable", NO_HISTORY);
}

/** Reads the node's state at a block up to the head, `stored` or fetched; undefined if the node lacks the block or its state. */
async function atState<Result>(
  chain: CallerChain,
  blockNumber: number,
  stored: BlockReference | undefined,
  task: (block: PastBlock) => Promise<Result>,
): Promise<Result | undefined> {
  const block = stored ?? (await chain.fetchHeader(blockNumber));
  if (!block) return undefined;
  try {
    return await task({ ...block, isIndexed: stored !== undefined });
  } catch (error) {
    if (error instanceof ChainError && error.code === "state-unavailable") return undefined;
    throw error;
  }
}

function isFailure(found: unknown): found is Failure {
  return typeof found === "object" && found !== null && "kind" in found && found.kind === "failed";
}

/** Error text for holdings of ids that the index lacks. */
const IDS_UNKNOWN = "The ids that were held before the first indexed block are not known";
/** Error text for a contract that does not answer; the sum of its transfers may be wrong. */
export const NOT_REPORTED = "The contract does not tell what was held";

/** Returns a holding after a block as the contract reports it, summed over the ids. Throws `RequestError` for too many ids. */
export async function readHoldingAt(
  { chain }: Pick<Context, "chain">,
  { token, owner }: { token: Address; owner: Address },
  block: PastBlock,
  ids: readonly string[] | undefined,
): Promise<Outcome<string>> {
  if (ids && !block.isIndexed) return failed("state-unavailable", IDS_UNKNOWN);
  if (ids && ids.length > READABLE_BALANCES) throw stillReading();
  const queries = ids ? ids.map((id) => ({ token, owner, id: BigInt(id) })) : [{ token, owner }];
  const amounts = queries.length > 0 ? await chain.fetchTokenBalances(queries, block) : [];
  // A silent contract may keep balances by id.
  if (amounts.includes(null))
    return failed("state-unavailable", block.isIndexed ? NOT_REPORTED : IDS_UNKNOWN);
  return ok(String(amounts.reduce<bigint>((sum, amount) => sum + (answered(amount) ?? 0n), 0n)));
}

/** Returns the ids of an ERC-1155 token that the owner holds or held; undefined for other tokens. */
export async function listOwnedIds(
  sql: Queryable,
  token: Address,
  owner: Address,
): Promise<string[] | undefined> {
  const known = await getHolding(sql, token, owner);
  if (known?.standard !== 1155) return undefined;
  const held = await listHeldIds(sql, token, owner, READABLE_BALANCES + 1);
  return held.flatMap(({ tokenId }) => tokenId ?? []);
}

/** Returns the query and the answer of `atBlock` for a holding. */
export function holdingAt(context: Context, token: Address, owner: Address) {
  return [
    (sql: Queryable) => listOwnedIds(sql, token, owner),
    (block: PastBlock, ids: readonly string[] | undefined) =>
      readHoldingAt(context, { token, owner }, block, ids),
  ] as const;
}
