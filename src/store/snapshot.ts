import type { Sql, Transaction } from "../db/client.ts";

/** Runs several queries on one state of the database. */
export async function readSnapshot<Result>(
  sql: Sql,
  read: (snapshot: Transaction) => Promise<Result>,
): Promise<Result> {
  const result = await sql.begin("ISOLATION LEVEL REPEATABLE READ READ ONLY", read);
  return result as Result;
}
