import type { AskOptions, BlockReference, Chain, TokenMetadata } from "../chain/chain.ts";
import type { Address } from "../core/address.ts";
import type { Queryable, Transaction } from "../db/client.ts";
import {
  type CoinBalance,
  listPendingCoinAddresses,
  listTouchedCoinAddresses,
  writeCoinBalances,
} from "../store/addresses.ts";
import type { BlockRange } from "../store/chain.ts";
import {
  type HoldingAmount,
  type HoldingToRead,
  listPendingHoldings,
  listTouchedHoldings,
  writeHoldings,
} from "../store/token-balances.ts";
import {
  listNewTokens,
  listPendingTokens,
  listTokensOfChangedSupply,
  type TokenMetadataRow,
  type TokenSupplyRow,
  writeTokenMetadata,
  writeTokenSupplies,
} from "../store/tokens.ts";

/** What is to be read from the node. */
export interface StateKeys {
  coins: Address[];
  holdings: HoldingToRead[];
  metadata: Address[];
  supplies: Address[];
}

/** What the node and the contracts said, true for one block. */
export interface StateValues {
  block: BlockReference;
  coins: CoinBalance[];
  holdings: HoldingAmount[];
  metadata: TokenMetadataRow[];
  supplies: TokenSupplyRow[];
}

export const noKeys: StateKeys = { coins: [], holdings: [], metadata: [], supplies: [] };

/** The state that the recorded blocks of a range may have changed. */
export async function listTouchedKeys(sql: Queryable, range: BlockRange): Promise<StateKeys> {
  const [coins, holdings, metadata, supplies] = await Promise.all([
    listTouchedCoinAddresses(sql, range),
    listTouchedHoldings(sql, range),
    listNewTokens(sql, range),
    listTokensOfChangedSupply(sql, range),
  ]);
  return { coins, holdings, metadata, supplies };
}

/** State that is still to be read, at most `limit` of each kind, but for that of some contracts. */
export async function listPendingKeys(
  sql: Queryable,
  except: readonly Address[],
  limit: number,
): Promise<StateKeys> {
  const [coins, holdings, tokens] = await Promise.all([
    listPendingCoinAddresses(sql, limit),
    listPendingHoldings(sql, { except }, limit),
    listPendingTokens(sql, { except }, limit),
  ]);
  return { coins, holdings, metadata: tokens.metadata, supplies: tokens.supply };
}

/** State of one contract that is still to be read, at most `limit` of each kind. */
export async function listPendingKeysOf(
  sql: Queryable,
  contract: Address,
  limit: number,
): Promise<StateKeys> {
  const [holdings, tokens] = await Promise.all([
    listPendingHoldings(sql, { only: contract }, limit),
    listPendingTokens(sql, { only: contract }, limit),
  ]);
  return { coins: [], holdings, metadata: tokens.metadata, supplies: tokens.supply };
}

/** The keys without those that only the given contracts can tell. */
export function withoutContracts(keys: StateKeys, contracts: ReadonlySet<Address>): StateKeys {
  if (contracts.size === 0) return keys;
  return {
    coins: keys.coins,
    holdings: keys.holdings.filter(({ token }) => !contracts.has(token)),
    metadata: keys.metadata.filter((token) => !contracts.has(token)),
    supplies: keys.supplies.filter((token) => !contracts.has(token)),
  };
}

/** The contracts that must be asked for the keys. */
export function contractsOf({ holdings, metadata, supplies }: StateKeys): Set<Address> {
  return new Set([...holdings.map(({ token }) => token), ...metadata, ...supplies]);
}

/** How many reads the keys ask for. */
export function countKeys(keys: StateKeys): number {
  return keys.coins.length + keys.holdings.length + keys.metadata.length + keys.supplies.length;
}

/** Reads the state of the keys at a block. Throws as `StateReader` does. */
export async function fetchState(
  chain: Chain,
  keys: StateKeys,
  block: BlockReference,
  ask: AskOptions,
): Promise<StateValues> {
  const [balances, amounts, metadata, supplies] = await Promise.all([
    chain.fetchCoinBalances(keys.coins, block, ask),
    chain.fetchTokenBalances(
      keys.holdings.map(({ token, owner, tokenId }) =>
        tokenId === null ? { token, owner } : { token, owner, id: BigInt(tokenId) },
      ),
      block,
      ask,
    ),
    chain.fetchTokenMetadata(keys.metadata, block, ask),
    chain.fetchTotalSupplies(keys.supplies, block, ask),
  ]);
  return {
    block,
    coins: keys.coins.map((address, index) => ({ address, balanceWei: balances[index] as bigint })),
    holdings: keys.holdings.map((key, index) => ({ ...key, amount: amounts[index] ?? null })),
    metadata: keys.metadata.map((address, index) =>
      metadataRow(address, metadata[index] as TokenMetadata),
    ),
    supplies: keys.supplies.map((address, index) => ({
      address,
      totalSupply: supplies[index] ?? null,
    })),
  };
}

function metadataRow(address: Address, metadata: TokenMetadata): TokenMetadataRow {
  const { name, symbol, decimals } = metadata;
  return {
    address,
    name: name?.text ?? null,
    symbol: symbol?.text ?? null,
    nameData: name?.raw ?? null,
    symbolData: symbol?.raw ?? null,
    decimals,
  };
}

/** Writes what was read; its keys are known by now (`applyState`). */
export async function writeState(sql: Transaction, values: StateValues): Promise<void> {
  const { number } = values.block;
  await writeCoinBalances(sql, number, values.coins);
  await writeHoldings(sql, number, values.holdings);
  await writeTokenMetadata(sql, number, values.metadata);
  await writeTokenSupplies(sql, number, values.supplies);
}
