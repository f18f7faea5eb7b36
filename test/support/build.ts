import type { Hex } from "../../src/core/evm/hex.ts";
import type { Sql } from "../../src/db/client.ts";
import { isDistributed } from "../../src/store/cluster/distribution.ts";
import { type ChainRows, chainTables } from "../../src/store/writer/chain-tables.ts";
import {
  activityOfFrame,
  activityOfTransaction,
  activityOfTransfer,
  implementationChanges,
  transactionKey,
} from "./activity.ts";

// Rows for tests of the store and the API: valid with defaults, the fields under test spelled out.

type Row<Name extends keyof ChainRows> = ChainRows[Name][number];
/** The named fields must be given, the rest may. */
type Given<Whole, Keys extends keyof Whole> = Partial<Whole> & Pick<Whole, Keys>;

interface AddressRow {
  address: Hex;
  firstBlock: number;
  balance: string | null;
  balanceBlock: number | null;
  hasCode: boolean | null;
}

interface TokenRow {
  address: Hex;
  standard: 20 | 404 | 721 | 1155;
  firstBlock: number;
  name: string | null;
  symbol: string | null;
  decimals: number | null;
  metadataBlock: number | null;
  totalSupply: string | null;
  supplyBlock: number | null;
  holderCount: number;
  irregular: boolean;
}

interface TokenBalanceRow {
  token: Hex;
  owner: Hex;
  amount: string;
  blockNumber: number | null;
}

interface NftOwnerRow {
  token: Hex;
  tokenId: string;
  owner: Hex;
}

interface DailyStatisticsRow {
  /** `yyyy-mm-dd` */
  day: string;
  blockCount: number;
  firstTimestamp: number;
  lastTimestamp: number;
  transactionCount: number;
  fees: string;
  rewards: string;
  burntFees: string;
  gasUsed: string;
  gasLimit: string;
  blockBytes: string;
  gasPriceMinimum: string | null;
  gasPriceMaximum: string | null;
  gasPriceSum: string;
  withdrawnGwei: string;
  newAddresses: number;
}

interface SyncStateRow {
  chainId: number;
  startBlock: number;
  genesisHash: Hex;
  headNumber: number | null;
  headHash: Hex | null;
  headTimestamp: number | null;
  generation: number;
  traced: boolean;
  indexed: boolean;
  synchronised: boolean;
}

/** Input of `publish`: rows by table, in any order. */
export interface World {
  blocks?: Given<Row<"blocks">, "number">[];
  transactions?: Given<Row<"transactions">, "blockNumber">[];
  logs?: Given<Row<"logs">, "blockNumber" | "address">[];
  internalTransactions?: Given<Row<"internalTransactions">, "blockNumber" | "position">[];
  tokenTransfers?: Given<Row<"tokenTransfers">, "blockNumber" | "logIndex" | "token">[];
  withdrawals?: Given<Row<"withdrawals">, "blockNumber" | "withdrawalIndex" | "address">[];
  contracts?: Given<Row<"contracts">, "blockNumber" | "address">[];
  contractDestructions?: Given<Row<"contractDestructions">, "blockNumber" | "address">[];
  addresses?: Given<AddressRow, "address">[];
  tokens?: Given<TokenRow, "address">[];
  tokenBalances?: Given<TokenBalanceRow, "token" | "owner" | "amount">[];
  tokenIdBalances?: Given<TokenBalanceRow & { tokenId: string }, "token" | "owner" | "tokenId">[];
  nftOwners?: NftOwnerRow[];
  dailyStatistics?: Given<DailyStatisticsRow, "day">[];
  /** The sum of all coin balances; none by default. */
  coinSupply?: string;
  syncState?: Partial<SyncStateRow>;
}

const GENESIS_SECONDS = 1_751_328_000;
const BLOCK_SECONDS = 15;
export const GWEI = 1_000_000_000n;

/** Timestamp of a block by default. */
export function blockTime(number: number): number {
  return GENESIS_SECONDS + number * BLOCK_SECONDS;
}

/** Address number `index`: recognisable, and in the order of the numbers. */
export function addressAt(index: number): Hex {
  return `0x${index.toString(16).padStart(8, "0")}${"a".repeat(32)}`;
}

/** Hash of a block by default. */
export function blockHash(number: number): Hex {
  return `0xb1${number.toString(16).padStart(62, "0")}`;
}

/** Hash of a transaction by default. */
export function transactionHash(blockNumber: number, transactionIndex = 0): Hex {
  return `0x7a${blockNumber.toString(16).padStart(31, "0")}${transactionIndex.toString(16).padStart(31, "0")}`;
}

/** A 32-byte word, as a topic or a slot has it. */
export function wordAt(index: number): Hex {
  return `0x${index.toString(16).padStart(64, "0")}`;
}

/**
 * Inserts the rows, what follows directly from them (hashes, activity of addresses, sums of a block), and a sync state
 * with the highest block as the head. A second call adds to the first and moves the head.
 */
export async function publish(sql: Sql, world: World): Promise<void> {
  const transactions = (world.transactions ?? []).map(transaction);
  const blocks = (world.blocks ?? []).map((fields) => block(fields, transactions));
  const frames = (world.internalTransactions ?? []).map(internalTransaction);
  const transfers = (world.tokenTransfers ?? []).map(tokenTransfer);
  const head = blocks.toSorted((a, b) => b.number - a.number)[0];
  const [before] = await sql<{ headNumber: number | null }[]>`SELECT head_number FROM sync_state`;
  const headNumber = world.syncState?.headNumber ?? head?.number ?? before?.headNumber ?? 0;
  const logs = (world.logs ?? []).map(log);
  const rows = {
    transactions,
    transactionHashes: transactions.map(transactionKey),
    addressTransactions: transactions.flatMap(activityOfTransaction),
    logs,
    implementationChanges: implementationChanges(logs),
    internalTransactions: frames,
    addressInternalTransactions: frames.flatMap(activityOfFrame),
    tokenTransfers: transfers,
    addressTokenTransfers: transfers.flatMap(activityOfTransfer),
  };
  const { transactionHashes, ...ofOneServer } = rows;
  const recorded = (await isDistributed(sql)) ? rows : ofOneServer;
  await insert(sql, "blocks", blocks);
  for (const [name, ofTable] of Object.entries(recorded)) {
    await insert(sql, chainTables[name as keyof ChainRows].name, ofTable.map(withParsedExtra));
  }
  await insert(sql, "withdrawals", (world.withdrawals ?? []).map(withdrawal));
  await insert(sql, "contracts", (world.contracts ?? []).map(contract));
  await insert(sql, "contract_destructions", (world.contractDestructions ?? []).map(destruction));
  await insert(sql, "addresses", (world.addresses ?? []).map(addressRow));
  await insert(
    sql,
    "coin_supply",
    world.coinSupply === undefined ? [] : [{ total: world.coinSupply }],
  );
  await insert(
    sql,
    "tokens",
    (world.tokens ?? []).map((fields) => token(fields, headNumber)),
  );
  await insert(
    sql,
    "token_balances",
    (world.tokenBalances ?? []).map((fields) => tokenBalance(fields, headNumber)),
  );
  await insert(
    sql,
    "token_id_balances",
    (world.tokenIdBalances ?? []).map((fields) => tokenBalance(fields, headNumber)),
  );
  await insert(sql, "nft_owners", world.nftOwners ?? []);
  await insert(sql, "daily_statistics", (world.dailyStatistics ?? []).map(dailyStatistics));
  await setSyncState(sql, {
    ...(head && {
      headNumber: head.number,
      headHash: head.hash,
      headTimestamp: head.timestamp,
    }),
    ...world.syncState,
  });
}

/** Sets columns of the one row of the sync state, and leaves the others as they are. */
export async function setSyncState(sql: Sql, fields: Partial<SyncStateRow>): Promise<void> {
  await sql`
    INSERT INTO sync_state (chain_id, start_block, genesis_hash, traced, synchronised)
    VALUES (31337, 0, ${blockHash(0)}, true, true) ON CONFLICT DO NOTHING`;
  if (Object.keys(fields).length > 0) {
    await sql`UPDATE sync_state SET ${sql(withColumnNames(fields))}`;
  }
}

function block(
  fields: Given<Row<"blocks">, "number">,
  transactions: readonly Row<"transactions">[],
): Row<"blocks"> {
  const own = transactions.filter(({ blockNumber }) => blockNumber === fields.number);
  const baseFee = BigInt(fields.baseFeePerGas ?? 0);
  const prices = own.map(({ gasPrice }) => BigInt(gasPrice)).sort((a, b) => (a < b ? -1 : 1));
  const sum = (part: (row: Row<"transactions">) => bigint) =>
    own.reduce((total, row) => total + part(row), 0n);
  return {
    hash: blockHash(fields.number),
    parentHash: fields.number === 0 ? wordAt(0) : blockHash(fields.number - 1),
    timestamp: blockTime(fields.number),
    miner: addressAt(0xfee),
    difficulty: 0n,
    size: 600,
    gasLimit: 30_000_000n,
    gasUsed: sum((row) => BigInt(row.gasUsed)),
    baseFeePerGas: null,
    transactionCount: own.length,
    fees: sum((row) => BigInt(row.gasUsed) * BigInt(row.gasPrice)),
    reward: sum((row) => BigInt(row.gasUsed) * (BigInt(row.gasPrice) - baseFee)),
    gasPriceMinimum: prices[0] ?? null,
    gasPriceMaximum: prices.at(-1) ?? null,
    l1Fees: null,
    ...fields,
  };
}

function transaction(fields: Given<Row<"transactions">, "blockNumber">): Row<"transactions"> {
  const { blockNumber, transactionIndex = 0 } = fields;
  return {
    transactionIndex,
    hash: transactionHash(blockNumber, transactionIndex),
    type: 2,
    fromAddress: addressAt(1),
    toAddress: addressAt(2),
    createdContract: null,
    nonce: 0n,
    value: 0n,
    gas: 100_000n,
    gasPrice: 2n * GWEI,
    maxFeePerGas: 3n * GWEI,
    maxPriorityFeePerGas: GWEI,
    gasUsed: 21_000n,
    cumulativeGasUsed: 21_000n * BigInt(transactionIndex + 1),
    status: 1,
    input: "0x",
    error: null,
    revertData: null,
    v: 0n,
    r: wordAt(1),
    s: wordAt(2),
    extra: null,
    l1Fee: null,
    ...fields,
  };
}

function log(fields: Given<Row<"logs">, "blockNumber" | "address">): Row<"logs"> {
  return {
    logIndex: 0,
    transactionIndex: 0,
    topic0: null,
    topic1: null,
    topic2: null,
    topic3: null,
    data: "0x",
    ...fields,
  };
}

function internalTransaction(
  fields: Given<Row<"internalTransactions">, "blockNumber" | "position">,
): Row<"internalTransactions"> {
  const isCall = (fields.type ?? "call") === "call";
  return {
    transactionIndex: 0,
    traceAddress: fields.position === 0 ? [] : [fields.position - 1],
    type: "call",
    callType: isCall ? "call" : null,
    fromAddress: addressAt(2),
    toAddress: isCall ? addressAt(3) : null,
    createdContract: null,
    value: 0n,
    gas: 50_000n,
    gasUsed: 10_000n,
    input: fields.position === 0 ? null : "0x",
    error: null,
    effective: true,
    ...fields,
  };
}

function tokenTransfer(
  fields: Given<Row<"tokenTransfers">, "blockNumber" | "logIndex" | "token">,
): Row<"tokenTransfers"> {
  const { standard = 20 } = fields;
  return {
    batchIndex: 0,
    transactionIndex: 0,
    standard,
    fromAddress: addressAt(1),
    toAddress: addressAt(2),
    tokenId: standard === 20 ? null : 1n,
    amount: standard === 721 ? null : 1n,
    ...fields,
  };
}

function withdrawal(
  fields: Given<Row<"withdrawals">, "blockNumber" | "withdrawalIndex" | "address">,
): Row<"withdrawals"> {
  return { validatorIndex: 1, amount: 1n, ...fields };
}

function contract(fields: Given<Row<"contracts">, "blockNumber" | "address">): Row<"contracts"> {
  return {
    transactionIndex: 0,
    position: 0,
    creator: addressAt(1),
    codeHash: wordAt(1),
    ...fields,
  };
}

function destruction(
  fields: Given<Row<"contractDestructions">, "blockNumber" | "address">,
): Row<"contractDestructions"> {
  return { transactionIndex: 0, position: 1, ...fields };
}

function addressRow(fields: Given<AddressRow, "address">): AddressRow {
  return { firstBlock: 0, balance: "0", balanceBlock: 0, hasCode: false, ...fields };
}

function token(fields: Given<TokenRow, "address">, headNumber: number): TokenRow {
  return {
    standard: 20,
    firstBlock: 0,
    name: "Pearl",
    symbol: "PRL",
    decimals: 6,
    metadataBlock: headNumber,
    totalSupply: "500000000000",
    supplyBlock: headNumber,
    holderCount: 0,
    irregular: false,
    ...fields,
  };
}

function tokenBalance<Fields extends object>(fields: Fields, headNumber: number): Fields {
  return { amount: "1", blockNumber: headNumber, ...fields };
}

function dailyStatistics(fields: Given<DailyStatisticsRow, "day">): DailyStatisticsRow {
  const midnight = Date.parse(`${fields.day}T00:00:00Z`) / 1000;
  return {
    blockCount: 1,
    firstTimestamp: midnight,
    lastTimestamp: midnight,
    transactionCount: 0,
    fees: "0",
    rewards: "0",
    burntFees: "0",
    gasUsed: "0",
    gasLimit: "30000000",
    blockBytes: "600",
    gasPriceMinimum: null,
    gasPriceMaximum: null,
    gasPriceSum: "0",
    withdrawnGwei: "0",
    newAddresses: 0,
    ...fields,
  };
}

function withParsedExtra(row: object): object {
  return "extra" in row && typeof row.extra === "string"
    ? { ...row, extra: JSON.parse(row.extra) }
    : row;
}

async function insert(sql: Sql, table: string, rows: readonly object[]): Promise<void> {
  if (rows.length > 0) await sql`INSERT INTO ${sql(table)} ${sql(rows.map(withColumnNames))}`;
}

/** `blockNumber` is the column `block_number`; quantities are inserted as decimal text. */
function withColumnNames(row: object): Record<string, never> {
  const entries = Object.entries(row).map(([name, value]) => [
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    typeof value === "bigint" ? value.toString() : value,
  ]);
  return Object.fromEntries(entries);
}
