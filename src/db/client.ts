import type driver from "postgres";
import type { Hex } from "../core/hex.ts";
import { postgres } from "./driver.ts";
import { CONNECT_TIMEOUT_SECONDS, openSocket, readTlsOptions } from "./tls.ts";

/** What queries give and take beyond postgres.js's own types. */
type ColumnTypes = { bytea: Hex; int8: number };

/**
 * The database: a tagged-template client (postgres.js). bytea is lower-case `0x` text, bigint a number, numeric decimal
 * text. Lists are taken of these, text and integers, and given of integers. The columns of a row are in camel case.
 */
export type Sql = driver.Sql<ColumnTypes>;

/** `Sql` inside a transaction. */
export type Transaction = driver.TransactionSql<ColumnTypes>;

/** Either of both: for queries that run inside a transaction or on their own. */
export type Queryable = driver.ISql<ColumnTypes>;

/** A piece of SQL to be put into another template. */
export type Fragment = driver.PendingQuery<driver.Row[]>;

export interface SqlOptions {
  /** Connections at most. Default 10. */
  connections?: number;
  /** Schema that unqualified names mean. Default `public`. */
  schema?: string;
  /** Time limit of a statement in milliseconds, 0 for none. Default 0. */
  statementTimeoutMs?: number;
  /** Commits do not wait for the disk: a crash of the server may lose the last of them, in order. Default false. */
  asynchronousCommit?: boolean;
  /** Reads only, perhaps through a pooler: nothing is asked of the session that PgBouncer refuses. Default false. */
  mayBePooled?: boolean;
  /** Shown in pg_stat_activity. Default `periscope`. */
  applicationName?: string;
}

/** Between two tries to connect; by default the driver waits up to 20 s. */
const RECONNECT_PAUSE_SECONDS = 0.01;

/** The server lets go of the locks of a client whose machine is gone within a minute, not after hours. */
const KEEPALIVES = {
  tcp_keepalives_idle: 30,
  tcp_keepalives_interval: 10,
  tcp_keepalives_count: 3,
};

/**
 * Creates a client for a `postgres://` URL; it connects on first use, and again after a lost connection. The URL may
 * ask for TLS (`readTlsOptions`). `sql.end()` closes it.
 */
export function createSql(url: string, options: SqlOptions = {}): Sql {
  const { url: plainUrl, tls } = readTlsOptions(url);
  return postgres(plainUrl, {
    max: options.connections ?? 10,
    connect_timeout: CONNECT_TIMEOUT_SECONDS,
    // A session may hold a lock: it is not to be exchanged for being old.
    max_lifetime: null,
    onnotice: () => {},
    transform: { column: { from: camelCased } },
    types: {
      bytea: {
        to: 17,
        from: [17],
        serialize: byteaText,
        parse: (text: string): Hex => `0x${text.slice(2)}`,
      },
      int8: { to: 20, from: [20], serialize: String, parse: Number },
      "bytea[]": arrayType(1001, byteaText),
      "int2[]": integerArrayType(1005),
      "int4[]": integerArrayType(1007),
      "int8[]": integerArrayType(1016),
      "text[]": arrayType(1009, (text: string) => text),
      "numeric[]": arrayType(1231, (text: string) => text),
    },
    // Else each new connection asks for the array types first, and when it is lost meanwhile, that is a rejection that
    // nobody can catch.
    fetch_types: false,
    connection: {
      application_name: options.applicationName ?? "periscope",
      search_path: searchPathOf(options.schema ?? "public"),
      statement_timeout: options.statementTimeoutMs ?? 0,
      ...(options.mayBePooled ? {} : KEEPALIVES),
      ...(options.asynchronousCommit ? { synchronous_commit: "off" } : {}),
    },
    ssl: false,
    backoff: () => RECONNECT_PAUSE_SECONDS,
    ...{ socket: (where: Parameters<typeof openSocket>[0]) => openSocket(where, tls) },
  }) as unknown as Sql;
}

/** The search path that a session of a schema begins with, as the server tells it. */
export function searchPathOf(schema: string): string {
  return `"${schema}"`;
}

/** `block_number` → `blockNumber`; asked once for each column of a statement, not for each row. */
function camelCased(column: string): string {
  return column.replaceAll(/_([a-z0-9])/g, (_, first: string) => first.toUpperCase());
}

function byteaText(hex: Hex): string {
  return `\\x${hex.slice(2)}`;
}

/** A list as a parameter; text is one already. `oid` as in pg_type, where those of built-in types never change. */
function arrayType<Element>(oid: number, elementText: (element: Element) => string) {
  const textOf = (element: Element | null) =>
    element === null ? "NULL" : quoted(elementText(element));
  return {
    to: oid,
    from: [] as number[],
    serialize: (elements: readonly (Element | null)[] | string) =>
      typeof elements === "string" ? elements : `{${elements.map(textOf).join(",")}}`,
    parse: (text: string): unknown => text,
  };
}

/** As `arrayType`, and read as numbers. */
function integerArrayType(oid: number) {
  return {
    ...arrayType(oid, String),
    from: [oid],
    parse: (text: string): unknown =>
      text === "{}" ? [] : text.slice(1, -1).split(",").map(Number),
  };
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
}
