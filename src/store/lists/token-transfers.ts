import type { Address } from "../../core/evm/address.ts";
import type { Hex } from "../../core/evm/hex.ts";
import { type Fragment, firstValue, type Queryable } from "../../db/client.ts";
import { placesOf, publishedHead } from "../cluster/distributed-reads.ts";
import { hasKey } from "../index-keys.ts";
import { type PageRange, readPage } from "./large-pages.ts";
import {
  type BlockBounds,
  behindPlace,
  blockOf,
  direction,
  inOrder,
  inPublishedBlocks,
  type Order,
  pageOfBlocks,
} from "./page.ts";
import { type Parties, pageOfActivity } from "./parties.ts";
import { mayBeNamed } from "./transactions.ts";

/** Number of the ERC that a token follows. */
export type TokenStandard = 20 | 404 | 721 | 1155;

/** Transfers of one standard: of `address` (sender or receiver of the transfer), of parties, or of the token alone. */
export type TokenTransferFilter = { standard: TokenStandard; blocks?: BlockBounds } & (
  | { address: Address; token?: Address | undefined }
  | { parties: Parties; token?: Address | undefined }
  | { token: Address }
);

/** One transfer of one token id, with its token. */
interface TokenTransfer {
  logIndex: number;
  batchIndex: number;
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
}

/** A transfer with its transaction. */
export interface TokenTransferEntry extends TokenTransfer {
  blockNumber: number;
  blockHash: Hex;
  timestampSeconds: number;
  /** Head number minus block number. */
  confirmations: number;
  transactionIndex: number;
  transactionHash: Hex;
  transactionTo: Address | null;
  nonce: string;
  gas: string;
  gasPrice: string;
  gasUsed: string;
  cumulativeGasUsed: string;
  input: Hex;
  /** True if the transaction's receiver has stored data that may name the called function. */
  mayBeNamed: boolean;
}

const KEY = ["block_number", "log_index", "batch_index"] as const;

/** Returns token transfers in the order of block, log and position in a batch. */
export async function listTokenTransfers(
  sql: Queryable,
  filter: TokenTransferFilter,
  order: Order,
  page: PageRange,
): Promise<TokenTransferEntry[]> {
  return complete(sql, keysOf(sql, filter, order, page), order, page.limit);
}

/** Returns at most `limit` rows for a page of keys, or for keys already read, in its order. */
async function complete(sql: Queryable, page: Fragment, order: Order, limit: number) {
  const towards = direction(sql, order);
  const { places } = await placesOf(sql, page, KEY);
  const query = sql<TokenTransferEntry[]>`
    SELECT f.block_number, b.hash AS block_hash, b.timestamp AS timestamp_seconds,
      ${publishedHead(sql)} - f.block_number AS confirmations,
      f.log_index, f.batch_index, f.from_address AS from, f.to_address AS to, f.token, f.token_id,
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

/** Selects the keys of a page. */
function keysOf(sql: Queryable, filter: TokenTransferFilter, order: Order, page: PageRange) {
  const { standard, token, blocks } = filter;
  const condition = sql`standard = ${standard} AND ${inPublishedBlocks(sql, blocks)}`;
  if (!("address" in filter || "parties" in filter)) {
    // The token in the order selects its own index: see `LogRange` in logs.ts.
    const rows = sql`
      SELECT block_number, log_index, batch_index FROM token_transfers
      WHERE ${condition} ${behindPlace(sql, page, KEY, order)} AND token = ANY(ARRAY[${filter.token}::bytea])`;
    const inIndex = inOrder(sql, ["token", "block_number"], order);
    return pageOfBlocks(sql, rows, { inIndex, order: inOrder(sql, KEY, order) }, page);
  }
  const activity = {
    table: sql`address_token_transfers`,
    isOf: (address: Address) =>
      token === undefined
        ? sql`address = ${address}`
        : hasKey(sql, [sql`address`, sql`${address}::bytea`], [sql`token`, sql`${token}::bytea`]),
    condition,
    key: KEY,
    inIndex: token === undefined ? undefined : ["block_number"],
  };
  return pageOfActivity(sql, filter, activity, order, page);
}

/** A transfer for the page of its transaction. */
export type TransferOfTransaction = TokenTransfer & { standard: TokenStandard };

/** Returns token transfers of a transaction, of all standards, in the order of log and position in a batch. */
export function listTransfersOfTransaction(sql: Queryable, transactionHash: Hex, page: PageRange) {
  return sql<TransferOfTransaction[]>`
    SELECT f.log_index, f.batch_index, f.from_address AS from, f.to_address AS to, f.token, f.standard,
      f.token_id, f.amount, k.name AS token_name, k.symbol AS token_symbol,
      k.decimals AS token_decimals
    FROM (
      SELECT t.* FROM transaction_place(${transactionHash}) p
      CROSS JOIN LATERAL token_transfers_of_transaction(p.block_number, p.transaction_index) t
      WHERE ${inPublishedBlocks(sql, {}, "p.block_number")} ${behindPlace(sql, page, ["log_index", "batch_index"], "asc")}
      ORDER BY t.log_index, t.batch_index
      LIMIT ${page.limit} OFFSET ${page.skip}
    ) f
    LEFT JOIN LATERAL (
      SELECT name, symbol, decimals FROM tokens WHERE address = f.token LIMIT 1
    ) k ON true
    ORDER BY f.log_index, f.batch_index`;
}

/** Returns the newest published block with a transfer of a token, or from or to an address; undefined without one. */
export function getLastTransferBlock(sql: Queryable, of: { token: Address } | { owner: Address }) {
  const rows = ([20, 404, 721, 1155] as const)
    .map((standard) => {
      const [side, list] =
        "owner" in of
          ? [sql`address`, sql`address_token_transfers WHERE address = ${of.owner}`]
          : [sql`token`, sql`token_transfers WHERE token = ANY(ARRAY[${of.token}::bytea])`];
      return sql`
        (SELECT block_number FROM ${list} AND standard = ${standard} AND ${inPublishedBlocks(sql)}
         ORDER BY ${side} DESC, block_number DESC LIMIT 1)`;
    })
    .reduce((all, one) => sql`${all} UNION ALL ${one}`);
  return firstValue(sql<{ number: number }[]>`
    SELECT block_number AS number FROM (${rows}) AS transfers ORDER BY block_number DESC LIMIT 1`);
}
