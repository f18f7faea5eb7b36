import net from "node:net";
import postgres from "postgres";
import type { Hex } from "../core/hex.ts";
import { closeGaps } from "./dense-results.ts";

/** What queries give and take beyond postgres.js's own types. */
type ColumnTypes = { bytea: Hex; int8: number };

/**
 * The database: a tagged-template client (postgres.js). bytea is lower-case `0x` text, bigint a number, numeric decimal
 * text. Lists are taken of these, text and integers, and given of integers.
 */
export type Sql = postgres.Sql<ColumnTypes>;

/** `Sql` inside a transaction. */
export type Transaction = postgres.TransactionSql<ColumnTypes>;

/** Either of both: for queries that run inside a transaction or on their own. */
export type Queryable = postgres.ISql<ColumnTypes>;

/** A piece of SQL to be put into another template. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>;

export interface SqlOptions {
  /** Connections at most. Default 10. */
  connections?: number;
  /** Schema that unqualified names mean. Default `public`. */
  schema?: string;
  /** Time limit of a statement in milliseconds, 0 for none. Default 0. */
  statementTimeoutMs?: number;
  /** Commits do not wait for the disk: a crash of the server may lose the last of them, in order. Default false. */
  asynchronousCommit?: boolean;
  /** Shown in pg_stat_activity. Default `periscope`. */
  applicationName?: string;
}

const CONNECT_TIMEOUT_SECONDS = 10;

/**
 * Creates a client for a `postgres://` URL; it connects on first use, and again after a lost connection.
 * `sql.end()` closes it.
 */
export function createSql(url: string, options: SqlOptions = {}): Sql {
  const sql = postgres(url, {
    max: options.connections ?? 10,
    connect_timeout: CONNECT_TIMEOUT_SECONDS,
    // A session may hold a lock: it is not to be exchanged for being old.
    max_lifetime: null,
    onnotice: () => {},
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
      search_path: `"${options.schema ?? "public"}"`,
      statement_timeout: options.statementTimeoutMs ?? 0,
      // The server lets go of the locks of a client whose machine is gone within a minute, not after hours.
      tcp_keepalives_idle: 30,
      tcp_keepalives_interval: 10,
      tcp_keepalives_count: 3,
      ...(options.asynchronousCommit ? { synchronous_commit: "off" } : {}),
    },
    // Behind so many statements a connection counts as full: see openSocket.
    ...{ socket: openSocket, max_pipeline: Number.MAX_SAFE_INTEGER },
  }) as unknown as Sql;
  closeGaps(sql``);
  return sql;
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

/** How long a lost connection still takes (and drops) what is written to it, in milliseconds. */
const CLOSE_DELAY_MS = 20;

/**
 * A connecting socket for postgres.js, unlike its own in three points. It has no Nagle delay, with which the last small
 * message of a COPY waits about 40 ms. It never says that it is full: a BEGIN that fills a connection is sent, but the
 * connection is not kept for its transaction, and whoever gets it next works inside of that. And when the connection is
 * lost inside a transaction, postgres.js answers the failure with a ROLLBACK on the same connection, whose socket it has
 * already forgotten: an exception that nobody can catch ends the process (porsager/postgres#1208). Here the loss is
 * announced as an error first and as the end a moment later, which fails that ROLLBACK like any other query.
 */
function openSocket(options: { host: string[]; port: number[]; path: string | false }): net.Socket {
  const host = options.host[0] ?? "localhost";
  const socket = options.path
    ? net.connect({ path: options.path })
    : net.connect({ host, port: options.port[0] ?? 5432, noDelay: true });
  const write = socket.write.bind(socket);
  socket.write = ((...values: Parameters<typeof write>) => {
    write(...values);
    return true;
  }) as typeof write;
  const emit = socket.emit.bind(socket);
  socket.emit = (event: string, ...values: unknown[]): boolean => {
    if (event !== "close") return emit(event, ...values);
    if (!values[0]) emit("error", new Error("the connection to the database was lost"));
    setTimeout(() => emit("close", false), CLOSE_DELAY_MS);
    return true;
  };
  // `host`: where postgres.js looks for the server name of a TLS connection.
  return Object.assign(socket, { host });
}
