import { difference, nameRow } from "./difference.ts";
import type { expectedChainRows } from "./expected-chain.ts";
import { TABLES, type TextRow } from "./rows.ts";

type ExpectedRows = ReturnType<typeof expectedChainRows>;
type Carried = (row: TextRow) => Record<string, string | null | undefined>;

const TRANSACTION = ["block_number", "transaction_index"];
const OF_TRANSACTION = ["nonce", "gas", "gas_price", "gas_used", "cumulative_gas_used", "input"];
const PARTIES = ["from_address", "to_address"];

/** Gives the row with the same columns of a key. */
function finder(rows: readonly TextRow[], key: readonly string[]): (row: TextRow) => TextRow {
  const nameOf = (row: TextRow) => nameRow("", key, row);
  const byName = new Map(rows.map((row) => [nameOf(row), row]));
  return (row) => byName.get(nameOf(row)) ?? {};
}

function pick(row: TextRow, columns: readonly string[]): Record<string, string | null | undefined> {
  return Object.fromEntries(columns.map((column) => [column, row[column]]));
}

/** What rows carry for pages where they are on several servers, by table, as the oracle has it. */
function carriedOf(rows: ExpectedRows): Record<string, { mark: string; of: Carried }> {
  const { transactions = [], internal_transactions = [], token_transfers = [] } = rows;
  const transactionOf = finder(transactions, TRANSACTION);
  const frameOf = finder(internal_transactions, TABLES.internal_transactions.key);
  const transferOf = finder(token_transfers, TABLES.token_transfers.key);
  const logs = Map.groupBy(rows.logs ?? [], (row) => nameRow("", TRANSACTION, row));
  const listed = (of: Carried) => ({ mark: "transaction_hash", of });
  return {
    transactions: {
      mark: "log_addresses",
      of: (row) => {
        const own = logs.get(nameRow("", TRANSACTION, row)) ?? [];
        const addresses = new Set(own.map(({ address }) => address?.replace("0x", "\\x")));
        return { log_addresses: [...addresses].join(",") };
      },
    },
    logs: listed((row) => {
      const transaction = transactionOf(row);
      return {
        transaction_hash: transaction["hash"],
        ...pick(transaction, ["gas_price", "gas_used"]),
      };
    }),
    address_transactions: listed((row) => {
      const transaction = transactionOf(row);
      const own = ["created_contract", "value", "status", "error", ...PARTIES];
      return {
        transaction_hash: transaction["hash"],
        ...pick(transaction, [...own, ...OF_TRANSACTION]),
      };
    }),
    address_internal_transactions: listed((row) => {
      const { block_number, transaction_index, position, ...frame } = frameOf(row);
      return { transaction_hash: transactionOf(row)["hash"], ...frame };
    }),
    address_token_transfers: listed((row) => {
      const transfer = transferOf(row);
      const transaction = transactionOf(transfer);
      return {
        transaction_hash: transaction["hash"],
        transaction_to: transaction["to_address"],
        ...pick(transfer, ["transaction_index", "token_id", "amount", ...PARTIES]),
        ...pick(transaction, OF_TRANSACTION),
      };
    }),
  };
}

/** Differences of the columns for pages, of rows that carry them; none on one server, whose rows do not. */
export async function comparePageColumns(
  expected: ExpectedRows,
  read: (table: keyof typeof TABLES) => Promise<TextRow[]>,
): Promise<string[]> {
  const differences: string[] = [];
  for (const [table, { mark, of }] of Object.entries(carriedOf(expected))) {
    const name = table as keyof typeof TABLES;
    for (const row of await read(name)) {
      if ((row[mark] ?? null) === null) continue;
      for (const [column, value] of Object.entries(of(row))) {
        if (row[column] === value) continue;
        differences.push(
          difference(nameRow(name, TABLES[name].key, row), column, value, row[column]),
        );
      }
    }
  }
  return differences;
}
