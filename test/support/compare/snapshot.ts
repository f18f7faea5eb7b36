import type { Queryable } from "../../../src/db/client.ts";
import { readHead, readTable, TABLES, type TableName, type TextRow } from "./rows.ts";

/**
 * Facts that depend on the order of events: times of reads, whether code was read before a creation
 * showed it, and whether a token had amounts that its transfers do not explain, or did not answer.
 */
const VOLATILE: Readonly<Partial<Record<TableName, readonly string[]>>> = {
  addresses: ["balance_block", "has_code", "code_seen_block"],
  tokens: [
    "metadata_block",
    "metadata_read_at",
    "metadata_tries",
    "metadata_due",
    "supply_block",
    "supply_read_at",
    "supply_tries",
    "supply_due",
    "irregular",
    "unresponsive",
  ],
  token_balances: ["block_number", "transferred_amount"],
  token_id_balances: ["block_number", "transferred_amount"],
};

/** The visible rows of every chain table, in the order of their keys, and the head. */
export type Snapshot = Record<TableName | "head", TextRow[]>;

/**
 * A canonical copy of the database, without facts that depend on the order of events: equal for two
 * databases of the same chain. `silentTokens`: tokens whose balances and supplies change without
 * any transfer; their reads are left out, for they are true for different blocks.
 */
export async function snapshotDatabase(
  sql: Queryable,
  silentTokens: readonly string[] = [],
): Promise<Snapshot> {
  const head = await readHead(sql);
  const [state] = await sql<{ fields: TextRow }[]>`
    SELECT jsonb_build_object('chain_id', chain_id::text, 'head_number', head_number::text,
      'head_hash', '0x' || encode(head_hash, 'hex'), 'head_timestamp', head_timestamp::text,
      'traced', traced::text) AS fields FROM sync_state`;
  const snapshot: Partial<Snapshot> = { head: state ? [state.fields] : [] };
  for (const table of Object.keys(TABLES) as TableName[]) {
    const rows = await readTable(sql, table, head ?? -1);
    snapshot[table] = rows.map((row) => withoutVolatile(table, row, silentTokens));
  }
  return snapshot as Snapshot;
}

function withoutVolatile(table: TableName, row: TextRow, silentTokens: readonly string[]): TextRow {
  const token = (table === "tokens" ? row["address"] : row["token"]) ?? "";
  const hidden = new Set<string>(VOLATILE[table]);
  if (table === "tokens" && silentTokens.includes(token)) {
    hidden.add("total_supply").add("holder_count");
  }
  if (table.endsWith("_balances") && silentTokens.includes(token)) hidden.add("amount");
  return Object.fromEntries(Object.entries(row).filter(([column]) => !hidden.has(column)));
}
