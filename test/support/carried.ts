import { camelCased } from "../../src/db/client.ts";
import { rowsOfServers, tablesOfServers } from "../../src/store/cluster/page-columns.ts";
import {
  type ChainRows,
  type ChainTableName,
  emptyRows,
} from "../../src/store/writer/chain-tables.ts";

const CARRYING: readonly ChainTableName[] = [
  "transactions",
  "logs",
  "addressTransactions",
  "addressInternalTransactions",
  "addressTokenTransfers",
];

interface Place {
  blockNumber: number;
  transactionIndex?: number;
}

/**
 * The rows as several servers have them: those of every other block carry what pages show, the others do not, as those of an
 * earlier version.
 */
export function partlyCarried(given: Partial<ChainRows>): Partial<ChainRows> {
  const known = new Set(given.transactions?.map(nameOf));
  const carries = (row: Place) =>
    row.blockNumber % 2 === 0 && (row.transactionIndex === undefined || known.has(nameOf(row)));
  const transferred = new Set(given.tokenTransfers?.filter(carries).map(transferOf));
  const isCarried = (row: Place) =>
    carries(row) && (!("batchIndex" in row) || transferred.has(transferOf(row as never)));
  const some = { ...emptyRows(), ...given };
  for (const name of CARRYING) some[name] = some[name].filter(isCarried as never) as never;
  const all = CARRYING.map((name) => {
    const columns = Object.keys(tablesOfServers.get(name)?.columns ?? {}).map(camelCased);
    const whole = (row: object) =>
      Object.fromEntries(columns.map((column) => [column, (row as never)[column] ?? null]));
    const others = (given[name] ?? []).filter((row) => !isCarried(row as Place));
    return [name, [...others, ...rowsOfServers(some, name)].map(whole)];
  });
  return { ...given, ...Object.fromEntries(all) };
}

const nameOf = ({ blockNumber, transactionIndex }: Place) => `${blockNumber} ${transactionIndex}`;

const transferOf = (row: { blockNumber: number; logIndex: number; batchIndex: number }) =>
  `${row.blockNumber} ${row.logIndex} ${row.batchIndex}`;
