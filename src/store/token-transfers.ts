import type { Address } from "../core/address.ts";
import type { Hex } from "../core/hex.ts";
import type { Fragment, Queryable } from "../db/client.ts";
import { mayBeNamed } from "./called-methods.ts";
import { isOfToken } from "./index-keys.ts";
import { readPage } from "./large-pages.ts";
import {
  type BlockBounds,
  blockOfPage,
  direction,
  inPublishedBlocks,
  type Order,
  type PageRange,
  pageOfBlocks,
} from "./page.ts";
import { type Activity, type Parties, pageOfParties } from "./parties.ts";

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
  /** Whether something is stored of the transaction's receiver that may name what is called. */
  mayBeNamed: boolean;
}

/** Token transfers in the order of block, log and position in a batch. */
export async function listTokenTransfers(
  sql: Queryable,
  filter: TokenTransferFilter,
  order: Order,
  page: PageRange,
): Promise<TokenTransferEntry[]> {
  const towards = direction(sql, order);
  const query = sql<TokenTransferEntry[]>`
    WITH page AS MATERIALIZED (${keysOf(sql, filter, towards, page)})
    SELECT page.block_number, b.hash AS block_hash, b.timestamp AS timestamp_seconds,
      (SELECT head_number FROM sync_state) - page.block_number AS confirmations,
      f.log_index, f.from_address AS from, f.to_address AS to, f.token, f.token_id,
      f.amount, k.name AS token_name, k.symbol AS token_symbol, k.decimals AS token_decimals,
      f.transaction_index, t.*
    FROM page
    CROSS JOIN LATERAL token_transfer_at(page.block_number, page.log_index, page.batch_index) f
    CROSS JOIN LATERAL (
      SELECT hash AS transaction_hash, to_address AS transaction_to, nonce, gas, gas_price,
        gas_used, cumulative_gas_used, input,
        ${mayBeNamed(sql)} AS may_be_named
      FROM transaction_at(page.block_number, f.transaction_index)
    ) t
    ${blockOfPage(sql)}
    LEFT JOIN LATERAL (
      SELECT name, symbol, decimals FROM tokens WHERE address = f.token LIMIT 1
    ) k ON true
    ORDER BY page.block_number ${towards}, page.log_index ${towards}, page.batch_index ${towards}`;
  return readPage(query, page.limit, ({ input }) => [input]);
}

function keysOf(
  sql: Queryable,
  filter: TokenTransferFilter,
  towards: Fragment,
  page: PageRange,
): Fragment {
  const { standard, token, blocks } = filter;
  const key = sql`block_number, log_index, batch_index`;
  const order = sql`block_number ${towards}, log_index ${towards}, batch_index ${towards}`;
  const condition = sql`standard = ${standard} AND ${inPublishedBlocks(sql, blocks)}`;
  const rowsOf = (address: Address) => sql`
    SELECT ${key} FROM address_token_transfers AS activity
    WHERE ${condition} AND ${
      token === undefined
        ? sql`address = ${address}`
        : isOfToken(sql, sql`${address}::bytea`, sql`${token}::bytea`)
    }`;
  const inIndex = token === undefined ? order : sql`block_number ${towards}`;
  if ("parties" in filter) {
    const calledRowsOf = (address: Address) => sql`
      SELECT ${key} FROM ${
        token === undefined
          ? sql`transfers_of_address(${address})`
          : sql`transfers_of_holding(${address}, ${token})`
      } WHERE ${condition}`;
    const activity = { key, inIndex, order, ...transferSides(sql, calledRowsOf) };
    return pageOfParties(sql, filter.parties, activity, page);
  }
  if ("address" in filter) {
    return pageOfBlocks(sql, rowsOf(filter.address), { inIndex, order }, page);
  }
  // With the token in the order only its own index has that order: see `LogRange` in logs.ts.
  const rows = sql`
    SELECT ${key} FROM token_transfers
    WHERE ${condition} AND token = ANY(ARRAY[${filter.token}::bytea])`;
  const ofToken = sql`token ${towards}, block_number ${towards}`;
  return pageOfBlocks(sql, rows, { inIndex: ofToken, order }, page);
}

/** The activity does not tell on which side of a transfer an address stands; the transfer does. */
function transferSides(
  sql: Queryable,
  entries: (address: Address) => Fragment,
): Pick<Activity, "entriesOf" | "entriesBetween"> {
  const checked = (keys: Fragment, sides: Fragment) => sql`
    SELECT keys.* FROM (${keys}) keys
    CROSS JOIN LATERAL token_transfer_at(keys.block_number, keys.log_index, keys.batch_index)
    WHERE ${sides}`;
  return {
    entriesOf: (address, side) =>
      checked(
        entries(address),
        side === "from" ? sql`from_address = ${address}` : sql`to_address = ${address}`,
      ),
    entriesBetween: (from, to) =>
      checked(
        sql`
          SELECT block_number, log_index, batch_index FROM (${entries(from)}) sent
          JOIN (${entries(to)}) received USING (block_number, log_index, batch_index)`,
        sql`from_address = ${from} AND to_address = ${to}`,
      ),
  };
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
