/**
 * Codes of PostgreSQL (class 08, shutting down, starting up, too many clients), of its driver and of the socket below.
 */
const CONNECTION_CODE =
  /^(?:08...|57P0[1-5]|53300|CONNECT(?:ION_(?:CLOSED|ENDED|DESTROYED)|_TIMEOUT)|E(?:CONN\w+|PIPE|HOSTUNREACH|NOTFOUND|TIMEDOUT))$/;

/** The code of a failed query: PostgreSQL's five characters (its manual, "Error Codes") or a word of the driver. */
export function failureCodeOf(thrown: unknown): string | undefined {
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
  return typeof code === "string" ? code : undefined;
}

/** Whether a query failed because the database is away or closed the connection. The same query may succeed later. */
export function isDatabaseGone(thrown: unknown): boolean {
  return CONNECTION_CODE.test(failureCodeOf(thrown) ?? "");
}
