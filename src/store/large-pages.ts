import { StoreError } from "../core/errors.ts";

/**
 * The limit of an answer's data, in bytes, or characters for text. An answer of this size takes some 100 ms of
 * processor time, in which nobody else is served, and several times its size in memory.
 */
export const MAXIMUM_ANSWER = 24_000_000;
/** So many rows take some 13 MB when each has 128 KB, the most that a transaction pool accepts. */
const ROWS_AT_ONCE = 50;

/** The rows of a page are larger than an answer may be. */
export class PageTooLarge extends StoreError {
  constructor() {
    super("page-too-large", `a page of more than ${MAXIMUM_ANSWER} characters`);
  }
}

/** A query that was not sent yet. It can be read in parts. */
interface PageQuery<Row> extends PromiseLike<Row[]> {
  cursor(rows: number, read: (part: Row[]) => void): Promise<unknown>;
}

/**
 * Reads a page of at most `limit` rows; `dataOf` gives the fields of a row that may be large. A long page is read in
 * parts, so that nobody can fill the memory by asking for 10,000 large rows. Throws `PageTooLarge`.
 */
export async function readPage<Row>(
  query: PageQuery<Row>,
  limit: number,
  dataOf: (row: Row) => readonly (string | null)[],
): Promise<Row[]> {
  const rows: Row[] = [];
  let characters = 0;
  const read = (part: Row[]) => {
    for (const row of part) {
      rows.push(row);
      for (const data of dataOf(row)) characters += data?.length ?? 0;
    }
    if (characters > MAXIMUM_ANSWER) throw new PageTooLarge();
  };
  if (limit <= ROWS_AT_ONCE) read(await query);
  else await query.cursor(ROWS_AT_ONCE, read);
  return rows;
}
