import type { Queryable } from "../../../src/db/client.ts";

/** A row as text: bytes as lower-case `0x`, numbers in decimal, lists joined with commas; null stays null. */
export type TextRow = Record<string, string | null>;

/** The tables that hold the chain and what follows from it: columns that name a row, and that of its block. */
export const TABLES = {
  blocks: { key: ["number"], block: "number" },
  transactions: { key: ["block_number", "transaction_index"], block: "block_number" },
  transaction_hashes: { key: ["hash"], block: "block_number" },
  logs: { key: ["block_number", "log_index"], block: "block_number" },
  internal_transactions: {
    key: ["block_number", "transaction_index", "position"],
    block: "block_number",
  },
  uncles: { key: ["block_number", "position"], block: "block_number" },
  withdrawals: { key: ["block_number", "withdrawal_index"], block: "block_number" },
  token_transfers: { key: ["block_number", "log_index", "batch_index"], block: "block_number" },
  contracts: {
    key: ["address", "block_number", "transaction_index", "position"],
    block: "block_number",
  },
  contract_destructions: {
    key: ["address", "block_number", "transaction_index", "position"],
    block: "block_number",
  },
  consecutive_transfers: {
    key: ["token", "block_number", "log_index"],
    block: "block_number",
  },
  implementation_changes: {
    key: ["address", "block_number", "log_index"],
    block: "block_number",
  },
  address_transactions: {
    key: ["address", "block_number", "transaction_index"],
    block: "block_number",
  },
  address_internal_transactions: {
    key: ["address", "block_number", "transaction_index", "position"],
    block: "block_number",
  },
  address_token_transfers: {
    key: ["address", "standard", "block_number", "log_index", "batch_index"],
    block: "block_number",
  },
  addresses: { key: ["address"], block: null },
  coin_supply: { key: ["singleton"], block: null },
  tokens: { key: ["address"], block: null },
  token_balances: { key: ["token", "owner"], block: null },
  token_id_balances: { key: ["token", "owner", "token_id"], block: null },
  nft_owners: { key: ["token", "token_id"], block: null },
  daily_statistics: { key: ["day"], block: null },
} as const satisfies Record<string, { key: readonly string[]; block: string | null }>;

export type TableName = keyof typeof TABLES;

function asText(column: string, type: string): string {
  const name = `"${column}"`;
  if (type === "bytea") return `'0x' || encode(${name}, 'hex') AS ${name}`;
  if (type === "ARRAY") return `array_to_string(${name}, ',') AS ${name}`;
  return `${name}::text AS ${name}`;
}

/** The head that the database shows; null before the first block. */
export async function readHead(sql: Queryable): Promise<number | null> {
  const [row] = await sql<{ head: number | null }[]>`SELECT head_number AS head FROM sync_state`;
  return row?.head ?? null;
}

/** The visible rows of a table, columns in the order of the schema, rows by key. */
export async function readTable(
  sql: Queryable,
  table: TableName,
  head: number,
): Promise<TextRow[]> {
  const columns = await sql<{ name: string; type: string }[]>`
    SELECT column_name AS name, data_type AS type FROM information_schema.columns
    WHERE table_schema = current_schema() AND table_name = ${table} ORDER BY ordinal_position`;
  const { key, block } = TABLES[table];
  const selected = columns.map(({ name, type }) => asText(name, type)).join(", ");
  const visible = block === null ? "" : `WHERE ${block} <= ${head}`;
  const rows: Iterable<TextRow[string][]> = await sql
    .unsafe(
      `SELECT ${selected} FROM ${table} ${visible} ORDER BY ${key.map((name) => `${table}.${name}`).join(", ")}`,
    )
    .values();
  return Array.from(rows, (row) =>
    Object.fromEntries(columns.map(({ name }, index) => [name, row[index] ?? null])),
  );
}
