import { Admission, type Release } from "../../core/admission.ts";
import { StoreError } from "../../core/errors.ts";
import { calmTurn } from "../../core/turns.ts";

/** Values of a list's order columns: the key of a row in it. */
export type PageKey = readonly string[];

/** A page of a list: `limit` rows after the first `skip`, or after a key. */
export interface PageRange {
  limit: number;
  skip: number;
  /** Key of the last row of the page before; empty at the beginning. `skip` is then 0. */
  after?: PageKey;
}

/** Largest data of an answer, in bytes or characters: it blocks the event loop for some 100 ms. */
export const MAXIMUM_ANSWER = 24_000_000;
/** Rows per read: some 13 MB when each has 128 KB, the most that a transaction pool accepts. */
const ROWS_AT_ONCE = 50;
/** Estimate of a row's other fields in an answer, in characters. */
const OTHER_FIELDS = 500;
/** Largest page without admission, and characters per read of a larger one. */
const SMALL_PAGE = 1_500_000;
const AT_ONCE = 1_000_000;
/** Time limit of the wait: the page ahead may be waiting for a hanging database. */
const LONGEST_WAIT_MS = 5_000;

/** The rows of a page exceed an answer's limit. */
export class PageTooLarge extends StoreError {
  constructor() {
    super("page-too-large", `a page of more than ${MAXIMUM_ANSWER} characters`);
  }
}

/** A query that was not sent yet. It can be read in parts. */
interface PageQuery<Row> extends PromiseLike<Row[]> {
  cursor(rows: number, read: (part: Row[]) => unknown): Promise<unknown>;
}

/** Large pages are read and rendered one at a time. */
const largePages = new Admission({
  capacity: () => 1,
  patienceMs: LONGEST_WAIT_MS,
  refuse: () => new Error("waits for too long"),
});

/**
 * Reads a page of at most `limit` rows; `dataOf` returns the possibly large fields of a row. A long
 * page is read in parts, so that requests for 10,000 large rows cannot fill the memory, and large
 * pages are read one at a time, so that others are served in between. Throws `PageTooLarge`.
 */
export async function readPage<Row>(
  query: PageQuery<Row>,
  limit: number,
  dataOf: (row: Row) => readonly (string | null)[],
): Promise<Row[]> {
  const rows: Row[] = [];
  let characters = 0;
  let read = 0;
  let entering: Promise<Release | undefined> | undefined;
  /** Adds a part and returns the wait before the next one. */
  const take = (part: Row[]): Promise<void> | undefined => {
    for (const row of part) {
      rows.push(row);
      for (const data of dataOf(row)) characters += data?.length ?? 0;
    }
    if (characters > MAXIMUM_ANSWER) throw new PageTooLarge();
    const all = characters + rows.length * OTHER_FIELDS;
    if (all <= SMALL_PAGE || all - read < AT_ONCE) return undefined;
    read = all;
    entering ??= largePages.enter().catch(() => undefined);
    return entering.then(calmTurn);
  };
  try {
    // Nothing waits after the last part of a cursor.
    if (limit <= ROWS_AT_ONCE) await take(await query);
    else await query.cursor(ROWS_AT_ONCE, take);
    await entering;
    return rows;
  } finally {
    void entering?.then(async (release) => {
      await calmTurn();
      release?.();
    });
  }
}
