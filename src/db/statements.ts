import type { Queryable, Sql } from "./client.ts";

/** A statement of postgres.js. Its handler sends it when it is first awaited; a nested one is not sent. */
interface Statement extends Promise<unknown> {
  handler: Handler;
  resolve(rows: unknown): void;
  reject(error: unknown): void;
  /** Reads the rows in batches. */
  cursorFn?: unknown;
}

type Handler = (statement: Statement) => void;
type Callable = (...values: unknown[]) => unknown;

/** Returns whether a value is a statement: the driver does not export their class, but no other promise has a handler. */
function isStatement(value: unknown): value is Statement {
  return value instanceof Promise && "handler" in value;
}

/** Returns the client with `handle` in place of the driver for each statement, which it sends or settles. */
export function onStatement<Client extends Queryable>(
  client: Client,
  handle: (statement: Statement, send: () => void) => void,
): Client {
  let driver: Handler | undefined;
  let own: Handler;

  function hook<Value>(value: Value): Value {
    if (!isStatement(value)) return value;
    if (value.handler !== driver) {
      const send = value.handler;
      driver = send;
      own = (statement) => handle(statement, () => send(statement));
    }
    value.handler = own;
    return value;
  }

  const inTransaction = (value: unknown): unknown =>
    typeof value === "function"
      ? (transaction: Sql) => value(onStatement(transaction, handle))
      : value;

  return new Proxy(client, {
    apply: (target, self, values) => hook(Reflect.apply(target as Callable, self, values)),
    get(target, property) {
      const value: unknown = Reflect.get(target, property);
      if (typeof value !== "function") return value;
      if (property === "begin") {
        return (...values: unknown[]) => value(...values.map(inTransaction));
      }
      return (...values: unknown[]) => hook(value.apply(target, values));
    },
  });
}

/** Returns the client with `begun` called for each statement, and its result at the end; waiting for a connection counts. */
export function timeStatements<Client extends Queryable>(client: Client, begun: () => () => void) {
  return onStatement(client, (statement, send) => {
    const ended = begun();
    statement.then(ended, ended);
    send();
  });
}
