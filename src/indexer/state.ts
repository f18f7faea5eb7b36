import type { AskOptions, BlockReference, Chain, TokenMetadata } from "../chain/chain.ts";
import type { Address } from "../core/address.ts";
import { isContractCode } from "../core/contract-code.ts";
import type { Hex } from "../core/hex.ts";
import type { Queryable, Transaction } from "../db/client.ts";
import {
  type CoinBalance,
  type CoinToRead,
  listPendingCoins,
  listTouchedCoins,
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
  listPendingTokens,
  listTokensOfChangedSupply,
  listTokensToDescribe,
  type TokenMetadataRow,
  type TokenSupplyRow,
  writeTokenMetadata,
  writeTokenSupplies,
} from "../store/tokens.ts";

/** What is to be read from the node. */
export interface StateKeys {
  coins: CoinToRead[];
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

/** The state that the recorded blocks of a range may have changed, to be read at the block `at`. */
export async function listTouchedKeys(
  sql: Queryable,
  range: BlockRange,
  at: number,
): Promise<StateKeys> {
  const [coins, holdings, metadata, supplies] = await Promise.all([
    listTouchedCoins(sql, range, at),
    listTouchedHoldings(sql, range),
    listTokensToDescribe(sql, range),
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
    listPendingCoins(sql, limit),
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

/** What a read of state brought, and the contracts that left something unanswered, which stays "to be read". */
export interface StateReading {
  values: StateValues;
  unanswered: Set<Address>;
}

/** Reads the state of the keys at a block. Throws as `StateReader` does. */
export async function fetchState(
  chain: Chain,
  keys: StateKeys,
  block: BlockReference,
  ask: AskOptions,
): Promise<StateReading> {
  const [coins, amounts, metadata, supplies] = await Promise.all([
    fetchCoins(chain, keys.coins, block, ask),
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
  const unanswered = new Set<Address>();
  /** What is made of the answers; those of contracts that gave none are left out. */
  function answered<Key, Answer, Row>(
    asked: readonly Key[],
    answers: readonly (Answer | undefined)[],
    contractOf: (key: Key) => Address,
    rowOf: (key: Key, answer: Answer) => Row,
  ): Row[] {
    return asked.flatMap((key, index) => {
      const answer = answers[index];
      if (answer !== undefined) return [rowOf(key, answer)];
      unanswered.add(contractOf(key));
      return [];
    });
  }
  const values: StateValues = {
    block,
    coins,
    holdings: answered(
      keys.holdings,
      amounts,
      ({ token }) => token,
      (key, amount) => ({ ...key, amount }),
    ),
    metadata: answered(keys.metadata, metadata, (address) => address, metadataRow),
    supplies: answered(
      keys.supplies,
      supplies,
      (address) => address,
      (address, totalSupply) => ({ address, totalSupply }),
    ),
  };
  return { values, unanswered };
}

async function fetchCoins(
  chain: Chain,
  coins: readonly CoinToRead[],
  block: BlockReference,
  ask: AskOptions,
): Promise<CoinBalance[]> {
  const addresses = coins.map(({ address }) => address);
  const withCode = coins.filter((coin) => coin.withCode).map(({ address }) => address);
  const [balances, codes] = await Promise.all([
    chain.fetchCoinBalances(addresses, block, ask),
    chain.fetchCodes(withCode, block, ask),
  ]);
  const isContract = new Map(
    withCode.map((address, index) => [address, isContractCode(codes[index] as Hex)]),
  );
  return addresses.map((address, index) => ({
    address,
    balanceWei: balances[index] as bigint,
    isContract: isContract.get(address) ?? null,
  }));
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
