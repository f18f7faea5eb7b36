import type { Queryable, Row, Sql, Transaction } from "../db/client.ts";
import { divertQueries } from "../db/diverted-queries.ts";
import {
  findWithServedState,
  getServedState,
  type ServedHead,
  type ServedState,
} from "./sync-state.ts";

/** Runs several queries on one state of the database. */
export async function readSnapshot<Result>(
  sql: Sql,
  read: (snapshot: Transaction) => Promise<Result>,
): Promise<Result> {
  const result = await sql.begin("ISOLATION LEVEL REPEATABLE READ READ ONLY", read);
  return result as Result;
}

/**
 * Runs a query of a single statement, with the served state in the same statement: one state of the database without a
 * transaction. `headOf` gives the query's head of that state, or throws. Undefined when the query turns out to have more
 * statements, or reads one in parts; whatever it did is then void. The database must be on one server.
 */
export async function readStatement<Found>(
  sql: Sql,
  query: (sql: Queryable, head: PromiseLike<ServedHead>) => Promise<Found>,
  headOf: (state: ServedState) => ServedHead,
): Promise<{ found: Found } | undefined> {
  let reading: Promise<{ found: Row[]; state: ServedState }> | undefined;
  let isMore = false;
  const only = divertQueries(sql, async (statement) => {
    if (reading || !statement) {
      isMore = true;
      throw new TypeError("more than one statement");
    }
    reading = findWithServedState(sql, statement);
    return (await reading).found;
  });
  const readHead = async () => {
    reading ??= getServedState(sql).then((state) => ({ found: [], state }));
    return headOf((await reading).state);
  };
  const head: PromiseLike<ServedHead> = {
    // biome-ignore lint/suspicious/noThenProperty: it is read by itself when it is awaited before any statement
    then: (...handlers) => readHead().then(...handlers),
  };
  try {
    const found = await query(only, head);
    if (isMore) return undefined;
    await readHead();
    return { found };
  } catch (error) {
    if (isMore) return undefined;
    throw error;
  }
}
