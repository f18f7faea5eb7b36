import type driver from "postgres";
import type { Hex } from "../core/evm/hex.ts";
import { postgres } from "./driver/driver.ts";
import { CONNECT_TIMEOUT_SECONDS, openSocket, readTlsOptions } from "./tls.ts";

/** Types of values beyond postgres.js's own. */
type ColumnTypes = { bytea: Hex; int8: number };

/** A postgres.js client. Rows have camel-case columns, `0x` text for bytea, numbers for bigint, decimal text for numeric, and lists. */
export type Sql = driver.Sql<ColumnTypes>;

/** `Sql` inside a transaction. */
export type Transaction = driver.TransactionSql<ColumnTypes>;

/** `Sql` or `Transaction`. */
export type Queryable = driver.ISql<ColumnTypes>;

/** Any row. */
export type Row = driver.Row;

/** A piece of SQL for another template. */
export type Fragment = driver.PendingQuery<driver.Row[]>;

export interface SqlOptions {
  /** Most connections. Default 10. */
  connections?: number;
  /** The schema of unqualified names. Default `public`. */
  schema?: string;
  /** Time limit of a statement in milliseconds, 0 for none. Default 0. */
  statementTimeoutMs?: number;
  /** True if commits return before they are on disk: a crash may lose the last ones, in order. Default false. */
  asynchronousCommit?: boolean;
  /** Idle time after which the server ends a session and releases its locks. 0 for never. Default 0. */
  idleTimeoutMs?: number;
  /** True if the client only reads, perhaps through PgBouncer, so it avoids settings that PgBouncer refuses. Default false. */
  mayBePooled?: boolean;
  /** Shown in pg_stat_activity. Default `periscope`. */
  applicationName?: string;
}

/** The pause before a reconnect. The driver's own may be 20 s. */
const RECONNECT_PAUSE_SECONDS = 0.01;

/** Fixes the forms of values against settings of server, database and role. A pooler tracks these for each client. */
const FORMS = { DateStyle: "ISO", TimeZone: "UTC", standard_conforming_strings: "on" };

/** Settings that a pooler would refuse. */
const OWN_SESSION = {
  bytea_output: "hex",
  array_nulls: "on",
  default_transaction_isolation: "read committed",
  // A statement may wait for another process's upgrade.
  lock_timeout: "0",
  // Releases the locks of a client that is stuck inside a transaction, or whose machine is gone,
  // within a minute instead of hours; or within a quarter of one, when an answer was being sent.
  idle_in_transaction_session_timeout: "60000",
  tcp_keepalives_idle: "30",
  tcp_keepalives_interval: "10",
  tcp_keepalives_count: "3",
  tcp_user_timeout: "60000",
};

/** Creates a client that connects on first use and after a loss, with TLS as the URL asks. `sql.end()` closes it. */
export function createSql(url: string, options: SqlOptions = {}): Sql {
  const { url: plainUrl, tls } = readTlsOptions(url);
  return postgres(plainUrl, {
    max: options.connections ?? 10,
    connect_timeout: CONNECT_TIMEOUT_SECONDS,
    // A session may hold a lock, so its age must not end it.
    max_lifetime: null,
    onnotice: () => {},
    transform: { column: { from: camelCased } },
    types: {
      bytea: {
        to: 17,
        from: [17],
        serialize: byteaText,
        parse: hexOfBytea,
      },
      int8: { to: 20, from: [20], serialize: String, parse: Number },
      "bytea[]": arrayType(1001, byteaText),
      "int2[]": integerArrayType(1005),
      "int4[]": integerArrayType(1007),
      "int8[]": integerArrayType(1016),
      "text[]": arrayType(1009, (text: string) => text),
      "numeric[]": arrayType(1231, (text: string) => text),
    },
    // The driver would fetch array types on each new connection, and its rejection after a lost one cannot be caught.
    fetch_types: false,
    connection: {
      application_name: options.applicationName ?? "periscope",
      search_path: searchPathOf(options.schema ?? "public"),
      ...sessionSettings(options),
    },
    ssl: false,
    backoff: () => RECONNECT_PAUSE_SECONDS,
    ...{ socket: (where: Parameters<typeof openSocket>[0]) => openSocket(where, tls) },
  }) as unknown as Sql;
}

/**
 * Returns rows as a table, as SQL: a column in snake case for each field, with its type of pg_type. Big integers are passed as text,
 * booleans as 0 and 1.
 */
export function tableOf<const Types extends Readonly<Record<string, string>>>(
  sql: Queryable,
  name: string,
  rows: readonly { readonly [Field in keyof Types]: Parameter }[],
  types: Types,
): Fragment {
  const lists = Object.entries(types).map(([field, type]) => {
    const values = rows.map((row) => parameterOf(row[field] as Parameter));
    return sql`${values as string[]}::${sql(type)}[]`;
  });
  const all = lists.reduce((some, list) => sql`${some}, ${list}`);
  return sql`unnest(${all}) AS ${sql(name)} (${sql(Object.keys(types).map(snakeCased))})`;
}

type Parameter = string | number | bigint | boolean | null;

function parameterOf(value: Parameter) {
  if (typeof value === "bigint") return String(value);
  return typeof value === "boolean" ? Number(value) : value;
}

/** Converts `blockNumber` to `block_number`. */
export function snakeCased(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Returns the first row of a query; undefined when it has none. */
export async function firstRow<Row>(query: PromiseLike<readonly Row[]>): Promise<Row | undefined> {
  return (await query)[0];
}

/** Returns the values of a query's one column. */
export async function pluck<Row extends object>(query: PromiseLike<readonly Row[]>) {
  return (await query).flatMap((row) => Object.values(row) as Row[keyof Row][]);
}

/** Returns the value of a query's one column in its first row; undefined when it has none. */
export async function firstValue<Row extends object>(query: PromiseLike<readonly Row[]>) {
  return (await pluck(query))[0];
}

/** Returns whether a query has rows. */
export async function hasRows(query: PromiseLike<readonly unknown[]>): Promise<boolean> {
  return (await query).length > 0;
}

/** Returns session settings, all as text: the driver drops a numeric 0. */
function sessionSettings(options: SqlOptions): Record<string, string> {
  return {
    ...FORMS,
    statement_timeout: String(options.statementTimeoutMs ?? 0),
    ...(options.mayBePooled
      ? {}
      : { ...OWN_SESSION, idle_session_timeout: String(options.idleTimeoutMs ?? 0) }),
    ...(options.asynchronousCommit ? { synchronous_commit: "off" } : {}),
  };
}

/** Returns the initial search path of a schema's session, in the server's form. */
export function searchPathOf(schema: string): string {
  return `"${schema}"`;
}

/** Converts `block_number` to `blockNumber`. Runs once per column of a statement, not per row. */
export function camelCased(column: string): string {
  return column.replaceAll(/_([a-z0-9])/g, (_, first: string) => first.toUpperCase());
}

/** Decodes bytea; throws for the escape format, which a pooled session may be set to. */
function hexOfBytea(text: string): Hex {
  if (text.startsWith("\\x")) return `0x${text.slice(2)}`;
  throw new TypeError("the database gives bytea as text; set bytea_output to hex for its role");
}

function byteaText(hex: Hex): string {
  return `\\x${hex.slice(2)}`;
}

/** Returns the type of a list parameter; a text passes unchanged. `oid` is that of pg_type, fixed for built-in types. */
function arrayType<Element>(oid: number, elementText: (element: Element) => string) {
  const textOf = (element: Element | null) =>
    element === null ? "NULL" : `"${elementText(element).replaceAll(/["\\]/g, "\\$&")}"`;
  return {
    to: oid,
    from: [] as number[],
    serialize: (elements: readonly (Element | null)[] | string) =>
      typeof elements === "string" ? elements : `{${elements.map(textOf).join(",")}}`,
    parse: (text: string): unknown => text,
  };
}

/** As `arrayType`; rows have lists of numbers. */
function integerArrayType(oid: number) {
  return {
    ...arrayType(oid, String),
    from: [oid],
    parse: (text: string): unknown =>
      text === "{}" ? [] : text.slice(1, -1).split(",").map(Number),
  };
}
