/** Of PostgreSQL (class 08, shutting down, starting up, too many clients), its driver and the socket below it. */
const CONNECTION_CODE =
  /^(?:08...|57P0[1-5]|53300|CONNECT(?:ION_(?:CLOSED|ENDED|DESTROYED)|_TIMEOUT)|E(?:CONN\w+|PIPE|HOSTUNREACH|NOTFOUND|TIMEDOUT))$/;

/** Whether a query failed because the database is away or took its connection: the same query may succeed later. */
export function isDatabaseGone(thrown: unknown): boolean {
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
  return typeof code === "string" && CONNECTION_CODE.test(code);
}
