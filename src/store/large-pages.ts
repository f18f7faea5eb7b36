import { StoreError } from "../core/errors.ts";

/** Of the data of a page, as text: it is in memory more than once, and no answer is longer than 2^29 characters. */
const MAXIMUM_CHARACTERS = 100_000_000;
/** The largest transactions of so many rows are some 50 MB. */
const ROWS_AT_ONCE = 200;

/** The rows of a page hold more than can be answered. */
export class PageTooLarge extends StoreError {
  constructor() {
    super("page-too-large", `a page of more than ${MAXIMUM_CHARACTERS} characters`);
  }
}

/** A query that was not sent yet, which can be read in parts. */
interface PageQuery<Row> extends PromiseLike<Row[]> {
  cursor(rows: number, read: (part: Row[]) => void): Promise<unknown>;
}

/**
 * Rows of a page of at most `limit` of them; `dataOf` gives what may be large in one. A long page is read in parts, so
 * that nobody can fill the memory by asking for 10,000 large rows. Throws `PageTooLarge`.
 */
export async function readPage<Row>(
  query: PageQuery<Row>,
  limit: number,
  dataOf: (row: Row) => string | null,
): Promise<Row[]> {
  if (limit <= ROWS_AT_ONCE) return query;
  const rows: Row[] = [];
  let characters = 0;
  await query.cursor(ROWS_AT_ONCE, (part) => {
    for (const row of part) {
      rows.push(row);
      characters += dataOf(row)?.length ?? 0;
    }
    if (characters > MAXIMUM_CHARACTERS) throw new PageTooLarge();
  });
  return rows;
}
