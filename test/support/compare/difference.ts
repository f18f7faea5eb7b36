import type { TextRow } from "./rows.ts";

const SHOWN = 40;
const LONGEST_VALUE = 100;

function show(value: string | null | undefined): string {
  if (value === null || value === undefined) return String(value);
  return value.length > LONGEST_VALUE
    ? `${value.slice(0, LONGEST_VALUE)}… (${value.length} characters)`
    : value;
}

/** Text that names a row: `token_balances token=0x… owner=0x…`. */
export function nameRow(table: string, key: readonly string[], row: TextRow): string {
  return [table, ...key.map((column) => `${column}=${row[column]}`)].join(" ");
}

/** One difference as a sentence. */
export function difference(
  row: string,
  column: string,
  expected: string | null | undefined,
  found: string | null | undefined,
): string {
  return `${row}: ${column} should be ${show(expected)}, is ${show(found)}`;
}

/**
 * Differences between what should stand in a table and what does: missing rows, rows too many, and values. Only the
 * columns of the expected rows are compared.
 */
export function compareRows(
  table: string,
  key: readonly string[],
  expected: readonly TextRow[],
  found: readonly TextRow[],
): string[] {
  const differences: string[] = [];
  const rest = new Map(found.map((row) => [nameRow(table, key, row), row]));
  if (rest.size < found.length) differences.push(`${table}: rows of the same key`);
  for (const row of expected) {
    const name = nameRow(table, key, row);
    const other = rest.get(name);
    if (!other) differences.push(`${name}: is missing`);
    rest.delete(name);
    for (const [column, value] of Object.entries(other ? row : {})) {
      const actual = other?.[column];
      if (actual !== value) differences.push(difference(name, column, value, actual));
    }
  }
  for (const name of rest.keys()) differences.push(`${name}: should not be there`);
  return differences;
}

/** The first differences of each kind of thing, and how many more there are: a broken index differs everywhere. */
export function abridge(differences: readonly string[]): string[] {
  const more = differences.length - SHOWN;
  return more > 0 ? [...differences.slice(0, SHOWN), `… and ${more} more`] : [...differences];
}
