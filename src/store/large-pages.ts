import { StoreError } from "../core/errors.ts";

/**
 * Bytes of the data of an answer, or characters where it is text already: to make the answer of so many takes some 100 ms
 * of the processor, in which nobody else is served, and several times their memory.
 */
export const MAXIMUM_ANSWER = 24_000_000;
/** Rows of 128 KB, the largest that a transaction pool takes, are some 13 MB then. */
const ROWS_AT_ONCE = 50;

/** The rows of a page hold more than can be answered. */
export class PageTooLarge extends StoreError {
  constructor() {
    super("page-too-large", `a page of more than ${MAXIMUM_ANSWER} characters`);
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
