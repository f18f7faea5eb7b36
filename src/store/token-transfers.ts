import type { Address } from "../core/address.ts";
import type { Hex } from "../core/hex.ts";
import type { Queryable } from "../db/client.ts";
import { mayBeNamed } from "./called-methods.ts";
import { readPage } from "./large-pages.ts";
import {
  type BlockBounds,
  direction,
  inPublishedBlocks,
  type Order,
  type PageRange,
} from "./page.ts";

/** Number of the ERC that a token follows. */
export type TokenStandard = 20 | 404 | 721 | 1155;

/** Transfers of one standard; at least one of `address` (sender or receiver of the transfer) and `token`. */
export type TokenTransferFilter = { standard: TokenStandard; blocks?: BlockBounds } & (
  | { address: Address; token?: Address | undefined }
  | { address?: undefined; token: Address }
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
  /** Whether something is stored of the transaction's receiver that may name what is called. */
  mayBeNamed: boolean;
}

/** Token transfers in the order of block, log and position in a batch. */
export async function listTokenTransfers(
  sql: Queryable,
  { standard, address, token, blocks }: TokenTransferFilter,
  order: Order,
  { limit, skip }: PageRange,
): Promise<TokenTransferEntry[]> {
  const towards = direction(sql, order);
  // With the token in the order only its own index has that order: see `LogRange` in logs.ts.
  const {
    table,
    condition,
    order: inFront,
  } = address === undefined
    ? {
        table: sql`token_transfers`,
        condition: sql`token = ANY(ARRAY[${token}::bytea])`,
        order: sql`token ${towards},`,
      }
    : {
        table: sql`address_token_transfers`,
        condition: sql`address = ${address} ${token === undefined ? sql`` : sql`AND token = ${token}`}`,
        order: sql``,
      };
  const query = sql<TokenTransferEntry[]>`
    SELECT page.block_number, b.hash AS block_hash, b.timestamp AS timestamp_seconds,
      (SELECT head_number FROM sync_state) - page.block_number AS confirmations,
      f.log_index, f.from_address AS from, f.to_address AS to, f.token, f.token_id,
      f.amount, k.name AS token_name, k.symbol AS token_symbol, k.decimals AS token_decimals,
      f.transaction_index, t.*
    FROM (
      SELECT block_number, log_index, batch_index FROM ${table}
      WHERE standard = ${standard} AND ${condition} AND ${inPublishedBlocks(sql, blocks)}
      ORDER BY ${inFront} block_number ${towards}, log_index ${towards}, batch_index ${towards}
      LIMIT ${limit} OFFSET ${skip}
    ) page
    CROSS JOIN LATERAL (
      SELECT log_index, transaction_index, from_address, to_address, token, token_id, amount
      FROM token_transfers
      WHERE block_number = page.block_number AND log_index = page.log_index
        AND batch_index = page.batch_index
      LIMIT 1
    ) f
    CROSS JOIN LATERAL (
      SELECT hash AS transaction_hash, to_address AS transaction_to, nonce, gas, gas_price,
        gas_used, cumulative_gas_used, input,
        ${mayBeNamed(sql)} AS may_be_named
      FROM transactions
      WHERE block_number = page.block_number AND transaction_index = f.transaction_index
      LIMIT 1
    ) t
    CROSS JOIN LATERAL (
      SELECT hash, timestamp FROM blocks WHERE number = page.block_number LIMIT 1
    ) b
    LEFT JOIN LATERAL (
      SELECT name, symbol, decimals FROM tokens WHERE address = f.token LIMIT 1
    ) k ON true
    ORDER BY page.block_number ${towards}, page.log_index ${towards}, page.batch_index ${towards}`;
  return readPage(query, limit, ({ input }) => [input]);
}

/** One transfer of one token id, as the page of its transaction shows it. */
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

/** Token transfers of a transaction, of all standards, in the order of log and position in a batch. */
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
      SELECT t.* FROM transaction_hashes h
      JOIN token_transfers t USING (block_number, transaction_index)
      WHERE h.hash = ${transactionHash} AND ${inPublishedBlocks(sql, {}, "h.block_number")}
      ORDER BY t.log_index, t.batch_index
      LIMIT ${limit} OFFSET ${skip}
    ) f
    LEFT JOIN LATERAL (
      SELECT name, symbol, decimals FROM tokens WHERE address = f.token LIMIT 1
    ) k ON true
    ORDER BY f.log_index, f.batch_index`;
}
