/** Codes of PostgreSQL, its driver and the socket for a lost or refused connection. */
const CONNECTION_CODE =
  /^(?:08...|57P0[1-5]|53300|CONNECT(?:ION_(?:CLOSED|ENDED|DESTROYED)|_TIMEOUT)|E(?:CONN\w+|PIPE|HOSTUNREACH|NOTFOUND|TIMEDOUT))$/;

/** Returns the code of a failed query: PostgreSQL's five characters (its manual, "Error Codes") or the driver's word. */
export function failureCodeOf(thrown: unknown): string | undefined {
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
  return typeof code === "string" ? code : undefined;
}

/** Returns whether the database is unreachable or closed the connection. A retry may succeed. */
export function isDatabaseGone(thrown: unknown): boolean {
  return CONNECTION_CODE.test(failureCodeOf(thrown) ?? "");
}

/** Failures with a remedy for the operator, by code. */
const CURES: readonly [code: RegExp, reason: string][] = [
  [/^28/, "the database refuses the user or the password; mend them in DATABASE_URL"],
  [/^3D000$/, "the database does not exist; create it, or name another one in DATABASE_URL"],
  [/^42501$/, "the database's user lacks a right; let it create schemas and own its tables"],
  [
    /^53300$/,
    "the database has no connection left; lower DATABASE_CONNECTIONS, or raise max_connections",
  ],
  [/^(?:53100|ENOSPC)$/, "the disk of the database is full; free some of it, or move the database"],
  [
    CONNECTION_CODE,
    "the database does not answer; see whether it runs, and where DATABASE_URL leads",
  ],
];

/** Returns a public reason; undefined where only the log may have it: the server's text contains hosts, users and names. */
export function publicReasonOf(thrown: unknown): string | undefined {
  const code = failureCodeOf(thrown) ?? "";
  return CURES.find(([pattern]) => pattern.test(code))?.[1];
}
