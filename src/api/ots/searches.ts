import type { Address } from "../../core/evm/address.ts";
import type { Queryable } from "../../db/client.ts";
import { listPlacesOfAddress, type TransactionPlace } from "../../store/lists/address-places.ts";
import type { BlockBounds, Order } from "../../store/lists/page.ts";
import { listTransactionsAt } from "../../store/lists/rpc-transactions.ts";
import { address as addressAt } from "../explorer/modules/proxy/arguments.ts";
import { presentPairs } from "./blocks.ts";
import {
  LIMIT_EXCEEDED,
  method,
  numberOfBlock,
  parse,
  unavailable,
  wholeNumber,
} from "./outcomes.ts";

const MAXIMUM_SIZE = 1000;
const MAXIMUM_OF_BLOCK = 10_000;

/** `ots_searchTransactionsBefore`. */
export const searchBefore = search("desc");

/** `ots_searchTransactionsAfter`. */
export const searchAfter = search("asc");

/** Declares a search that goes from the block in the order of blocks; block 0 means from the end of the chain. */
function search(order: Order) {
  return method([3, 3], async (context, [subject, from, size]) => {
    const address = parse(addressAt(0, "address"), subject);
    const block = await numberOfBlock(context, from, 1);
    const count = wholeNumber(size, 2, [1, MAXIMUM_SIZE]);
    const { rows, ...ends } = await context.read(async (sql, served) => {
      const edge = block ?? (await served).number;
      const bounds = edge === 0 ? {} : order === "asc" ? { from: edge + 1 } : { to: edge - 1 };
      const places = await listPlacesOfAddress(sql, address, bounds, order, count);
      refuseHugeBlock(places);
      if (order === "asc") places.reverse();
      const rows = await listTransactionsAt(sql, places);
      return { rows, ...(await findEnds(sql, address, places, bounds)) };
    });
    const { transactions, receipts } = presentPairs(context, rows);
    return { txs: transactions, receipts, ...ends };
  });
}

function refuseHugeBlock(places: readonly TransactionPlace[]): void {
  const last = places.at(-1)?.blockNumber;
  const matches = places.filter(({ blockNumber }) => blockNumber === last).length;
  if (matches > MAXIMUM_OF_BLOCK) {
    const message = `more than ${MAXIMUM_OF_BLOCK} matches in block ${last}`;
    throw unavailable(message, LIMIT_EXCEEDED);
  }
}

/** Returns whether no match is newer, and none older, than places from newest to oldest; without any, than the bounds. */
async function findEnds(
  sql: Queryable,
  address: Address,
  places: readonly TransactionPlace[],
  { from = 0, to = Number.MAX_SAFE_INTEGER - 1 }: BlockBounds,
): Promise<{ firstPage: boolean; lastPage: boolean }> {
  const isNone = async (blocks: BlockBounds) =>
    (await listPlacesOfAddress(sql, address, blocks, "asc", 1)).length === 0;
  const [newest, oldest] = [places[0]?.blockNumber ?? to, places.at(-1)?.blockNumber ?? from];
  return {
    firstPage: await isNone({ from: newest + 1 }),
    lastPage: await isNone({ to: oldest - 1 }),
  };
}
