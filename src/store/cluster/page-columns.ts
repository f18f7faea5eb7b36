import { camelCased } from "../../db/client.ts";
import { type CopyTable, copyTable } from "../../db/copy.ts";
import { type ChainRows, type ChainTableName, chainTables } from "../writer/chain-tables.ts";

// Of several servers, the one that has the list of an address has all that its pages show in columns beside the list's own: a page
// asks one server once. On one server a page joins what it shows, and these columns do not exist.

/**
 * By table. Null in rows of an earlier version or of one server, where they would be large, and of internal transactions that are
 * not listed by default, which are most: such a row is read in its place.
 */
const pageColumns = {
  transactions: {
    // Those of its logs, which are spread by them; null also where they are many.
    log_addresses: "bytea[]?",
  },
  addressTransactions: {
    transaction_hash: "bytea?",
    from_address: "bytea?",
    to_address: "bytea?",
    created_contract: "bytea?",
    nonce: "numeric?",
    value: "numeric?",
    gas: "numeric?",
    gas_price: "numeric?",
    gas_used: "numeric?",
    cumulative_gas_used: "numeric?",
    status: "int2?",
    input: "bytea?",
    error: "text?",
  },
  addressInternalTransactions: {
    transaction_hash: "bytea?",
    trace_address: "int4[]?",
    type: "text?",
    call_type: "text?",
    from_address: "bytea?",
    to_address: "bytea?",
    created_contract: "bytea?",
    value: "numeric?",
    gas: "numeric?",
    gas_used: "numeric?",
    input: "bytea?",
    error: "text?",
    effective: "bool?",
  },
  addressTokenTransfers: {
    transaction_hash: "bytea?",
    transaction_index: "int4?",
    transaction_to: "bytea?",
    from_address: "bytea?",
    to_address: "bytea?",
    token_id: "numeric?",
    amount: "numeric?",
    nonce: "numeric?",
    gas: "numeric?",
    gas_price: "numeric?",
    gas_used: "numeric?",
    cumulative_gas_used: "numeric?",
    input: "bytea?",
  },
  logs: {
    transaction_hash: "bytea?",
    gas_price: "numeric?",
    gas_used: "numeric?",
  },
} as const satisfies Partial<Record<ChainTableName, CopyTable["columns"]>>;

type PageTableName = keyof typeof pageColumns;

/** An input of 1,000 bytes in hex: it stands in a list once for each of a transaction's transfers, on either side. */
const LONGEST_INPUT = 2_002;
/** Elements of a trace address that take as many bytes. */
const LONGEST_TRACE_ADDRESS = 125;
/** Contracts that a transaction's logs are asked of by name; beyond that all servers are asked. */
const MOST_LOG_ADDRESSES = 20;

/** The tables that blocks are recorded into, with the columns that are. */
export type RecordedTables = ReadonlyMap<ChainTableName, CopyTable>;

/** The tables of one server. */
export const tablesOfOneServer = new Map(Object.entries(chainTables)) as RecordedTables;

/** The tables of several servers. */
export const tablesOfServers: RecordedTables = new Map(
  [...tablesOfOneServer].map(([name, table]) => [
    name,
    name in pageColumns
      ? copyTable(table.name, { ...table.columns, ...pageColumns[name as PageTableName] })
      : table,
  ]),
);

/** The tables that have columns for pages, with these columns only. */
export const pageTables: readonly CopyTable[] = Object.entries(pageColumns).map(([name, columns]) =>
  copyTable(chainTables[name as PageTableName].name, columns),
);

type Row<Name extends ChainTableName> = ChainRows[Name][number];

/** A row that is read in its place: its columns of pages are null. */
function uncarried(name: PageTableName, row: object): object {
  return { ...NULLS[name], ...row };
}

const NULLS = Object.fromEntries(
  Object.entries(pageColumns).map(([name, columns]) => [
    name,
    Object.fromEntries(Object.keys(columns).map((column) => [camelCased(column), null])),
  ]),
) as Record<PageTableName, object>;

/** The rows of whole blocks, in a table of `tablesOfServers`. */
export function rowsOfServers(rows: ChainRows, name: ChainTableName): readonly object[] {
  const isPaged = (name: ChainTableName): name is PageTableName => name in pageColumns;
  return isPaged(name) ? rowsOfPages[name](rows) : rows[name];
}

const rowsOfPages: Record<PageTableName, (rows: ChainRows) => readonly object[]> = {
  transactions(rows) {
    const emitters = Map.groupBy(rows.logs, placeOfTransaction);
    return rows.transactions.map((row) => {
      const logs = emitters.get(placeOfTransaction(row)) ?? [];
      const addresses = new Set(logs.map(({ address }) => address));
      return { ...row, logAddresses: addresses.size > MOST_LOG_ADDRESSES ? null : [...addresses] };
    });
  },
  addressTransactions(rows) {
    const transactionOf = finder(rows.transactions, placeOfTransaction);
    return rows.addressTransactions.map((row) => {
      const transaction = transactionOf(row);
      const { hash: transactionHash } = transaction;
      return isLarge(transaction)
        ? uncarried("addressTransactions", row)
        : { ...transaction, ...row, transactionHash };
    });
  },
  addressInternalTransactions(rows) {
    const transactionOf = finder(rows.transactions, placeOfTransaction);
    const frameOf = finder(rows.internalTransactions, placeOfFrame);
    return rows.addressInternalTransactions.map((row) => {
      const frame = frameOf(row);
      const { hash: transactionHash } = transactionOf(row);
      return row.valued && !isLarge(frame)
        ? { ...frame, ...row, transactionHash }
        : uncarried("addressInternalTransactions", row);
    });
  },
  addressTokenTransfers(rows) {
    const transactionOf = finder(rows.transactions, placeOfTransaction);
    const transferOf = finder(rows.tokenTransfers, placeOfTransfer);
    return rows.addressTokenTransfers.map((row) => {
      const transfer = transferOf(row);
      const transaction = transactionOf(transfer);
      const { hash: transactionHash, toAddress: transactionTo } = transaction;
      return isLarge(transaction)
        ? uncarried("addressTokenTransfers", row)
        : { ...transaction, ...transfer, ...row, transactionHash, transactionTo };
    });
  },
  logs(rows) {
    const transactionOf = finder(rows.transactions, placeOfTransaction);
    return rows.logs.map((row) => {
      const { hash: transactionHash, gasPrice, gasUsed } = transactionOf(row);
      return { ...row, transactionHash, gasPrice, gasUsed };
    });
  },
};

type PlaceOfTransaction = Pick<Row<"transactions">, "blockNumber" | "transactionIndex">;

const placeOfTransaction = ({ blockNumber, transactionIndex }: PlaceOfTransaction) =>
  `${blockNumber} ${transactionIndex}`;

const placeOfFrame = ({
  blockNumber,
  transactionIndex,
  position,
}: PlaceOfTransaction & Pick<Row<"internalTransactions">, "position">) =>
  `${blockNumber} ${transactionIndex} ${position}`;

const placeOfTransfer = ({
  blockNumber,
  logIndex,
  batchIndex,
}: Pick<Row<"tokenTransfers">, "blockNumber" | "logIndex" | "batchIndex">) =>
  `${blockNumber} ${logIndex} ${batchIndex}`;

/** Gives the row of a place, which must be there. */
function finder<Place, Found extends Place>(
  rows: readonly Found[],
  placeOf: (place: Place) => string,
): (place: Place) => Found {
  const byPlace = new Map(rows.map((row) => [placeOf(row), row]));
  return (place) => byPlace.get(placeOf(place)) as Found;
}

/** Whether pages read a row in its place. */
function isLarge(row: Row<"transactions"> | Row<"internalTransactions">): boolean {
  const isDeep = "traceAddress" in row && row.traceAddress.length > LONGEST_TRACE_ADDRESS;
  return isDeep || (row.input?.length ?? 0) > LONGEST_INPUT;
}
