import type { Address } from "../../core/evm/address.ts";
import type { Hex } from "../../core/evm/hex.ts";
import type { Fragment, Queryable } from "../../db/client.ts";
import { placesOf, publishedHead } from "../cluster/distributed-reads.ts";
import { hasKey } from "../index-keys.ts";
import { mayBeNamed } from "./called-methods.ts";
import { type PageRange, readPage } from "./large-pages.ts";
import {
  type BlockBounds,
  blockOf,
  direction,
  inPublishedBlocks,
  type Order,
  pageOfBlocks,
} from "./page.ts";
import { onSide, type Parties, pageOfParties, type Side } from "./parties.ts";

/** Number of the ERC that a token follows. */
export type TokenStandard = 20 | 404 | 721 | 1155;

/** Transfers of one standard: of `address` (sender or receiver of the transfer), of parties, or of the token alone. */
export type TokenTransferFilter = { standard: TokenStandard; blocks?: BlockBounds } & (
  | { address: Address; token?: Address | undefined }
  | { parties: Parties; token?: Address | undefined }
  | { token: Address }
);

/** One transfer of one token id, with its transaction and its token. */
export interface TokenTransferEntry {
  blockNumber: number;
  blockHash: Hex;
  timestampSeconds: number;
  /** Head number minus block number. */
  confirmations: number;
  logIndex: number;
  /** Of the transfer; the zero address for a mint. */
  from: Address;
  /** Of the transfer; the zero address for a burn. */
  to: Address;
  token: Address;
  tokenId: string | null;
  amount: string | null;
  tokenName: string | null;
  tokenSymbol: string | null;
  tokenDecimals: number | null;
  transactionIndex: number;
  transactionHash: Hex;
  transactionTo: Address | null;
  nonce: string;
  gas: string;
  gasPrice: string;
  gasUsed: string;
  cumulativeGasUsed: string;
  input: Hex;
  /** Whether the transaction's receiver has stored data that may name the called function. */
  mayBeNamed: boolean;
}

/** Returns token transfers in the order of block, log and position in a batch. */
export async function listTokenTransfers(
  sql: Queryable,
  filter: TokenTransferFilter,
  order: Order,
  page: PageRange,
): Promise<TokenTransferEntry[]> {
  const towards = direction(sql, order);
  return complete(sql, pageOf(sql, filter, towards, page), towards, page.limit);
}

/** Returns at most `limit` rows for a page of keys, or for keys already read, in its order. */
async function complete(
  sql: Queryable,
  page: Fragment,
  towards: Fragment,
  limit: number,
): Promise<TokenTransferEntry[]> {
  const { places } = await placesOf(sql, page, ["block_number", "log_index", "batch_index"]);
  const query = sql<TokenTransferEntry[]>`
    SELECT f.block_number, b.hash AS block_hash, b.timestamp AS timestamp_seconds,
      ${publishedHead(sql)} - f.block_number AS confirmations,
      f.log_index, f.from_address AS from, f.to_address AS to, f.token, f.token_id,
      f.amount, k.name AS token_name, k.symbol AS token_symbol, k.decimals AS token_decimals,
      f.transaction_index, f.transaction_hash, f.transaction_to, f.nonce, f.gas, f.gas_price,
      f.gas_used, f.cumulative_gas_used, f.input,
      ${mayBeNamed(sql, sql`f.transaction_to`)} AS may_be_named
    FROM ${places}
    CROSS JOIN LATERAL (
      SELECT (transfer).*, transaction_hash, transaction_to, nonce, gas, gas_price, gas_used,
        cumulative_gas_used, input
      FROM token_transfers_at(places.block_number, places.log_index, places.batch_index)
    ) f
    ${blockOf(sql, sql`f.block_number`)}
    LEFT JOIN LATERAL (
      SELECT name, symbol, decimals FROM tokens WHERE address = f.token LIMIT 1
    ) k ON true
    ORDER BY f.block_number ${towards}, f.log_index ${towards}, f.batch_index ${towards}`;
  return readPage(query, limit, ({ input }) => [input]);
}

/** Selects the columns of a page; of a token alone, and of parties, only the key's. */
function pageOf(
  sql: Queryable,
  filter: TokenTransferFilter,
  towards: Fragment,
  page: PageRange,
): Fragment {
  const { standard, token, blocks } = filter;
  const key = sql`block_number, log_index, batch_index`;
  const order = sql`block_number ${towards}, log_index ${towards}, batch_index ${towards}`;
  const condition = sql`standard = ${standard} AND ${inPublishedBlocks(sql, blocks)}`;
  const inBlocks = sql`block_number ${towards}`;
  const inIndex = token === undefined ? order : inBlocks;
  const rowsOf = (address: Address, side?: Side) => sql`
    SELECT ${key} FROM address_token_transfers
    WHERE ${condition} ${onSide(sql, side)} AND ${
      token === undefined
        ? sql`address = ${address}`
        : hasKey(sql, [sql`address`, sql`${address}::bytea`], [sql`token`, sql`${token}::bytea`])
    }`;
  if ("parties" in filter) {
    return pageOfParties(sql, filter.parties, { key, inIndex, order, entriesOf: rowsOf }, page);
  }
  if ("address" in filter) {
    return pageOfBlocks(sql, rowsOf(filter.address), { inIndex, order }, page);
  }
  // The token in the order selects its own index: see `LogRange` in logs.ts.
  const rows = sql`
    SELECT ${key} FROM token_transfers
    WHERE ${condition} AND token = ANY(ARRAY[${filter.token}::bytea])`;
  const ofToken = sql`token ${towards}, ${inBlocks}`;
  return pageOfBlocks(sql, rows, { inIndex: ofToken, order }, page);
}

/** One transfer of one token id, for the page of its transaction. */
export type TransferOfTransaction = Pick<
  TokenTransferEntry,
  | "logIndex"
  | "from"
  | "to"
  | "token"
  | "tokenId"
  | "amount"
  | "tokenName"
  | "tokenSymbol"
  | "tokenDecimals"
> & { standard: TokenStandard };

/** Returns token transfers of a transaction, of all standards, in the order of log and position in a batch. */
export function listTransfersOfTransaction(
  sql: Queryable,
  transactionHash: Hex,
  { limit, skip }: PageRange,
): Promise<TransferOfTransaction[]> {
  return sql<TransferOfTransaction[]>`
    SELECT f.log_index, f.from_address AS from, f.to_address AS to, f.token, f.standard,
      f.token_id, f.amount, k.name AS token_name, k.symbol AS token_symbol,
      k.decimals AS token_decimals
    FROM (
      SELECT t.* FROM transaction_places(${transactionHash}) p
      CROSS JOIN LATERAL token_transfers_of_transaction(p.block_number, p.transaction_index) t
      WHERE ${inPublishedBlocks(sql, {}, "p.block_number")}
      ORDER BY t.log_index, t.batch_index
      LIMIT ${limit} OFFSET ${skip}
    ) f
    LEFT JOIN LATERAL (
      SELECT name, symbol, decimals FROM tokens WHERE address = f.token LIMIT 1
    ) k ON true
    ORDER BY f.log_index, f.batch_index`;
}
