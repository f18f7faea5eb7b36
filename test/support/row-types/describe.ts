import type { Sql } from "../../../src/db/client.ts";
import { textOfStrings } from "./row-types.ts";

/** A column as PostgreSQL describes it. */
export interface Column {
  name: string;
  /** `oid` of its type. */
  type: number;
  /** `oid` of the table and number of the column there; 0 for an expression. */
  table: number;
  number: number;
}

export interface DescribedStatement {
  text: string;
  columns: Column[];
}

type Rows = (text: string) => unknown[];

/** A client that runs nothing: PostgreSQL describes each statement, `tell` receives the description, and the caller gets `rows` for it. */
export function describingClient(
  sql: Sql,
  rows: Rows,
  tell: (statement: DescribedStatement) => void,
): Sql {
  const client: Sql = new Proxy(sql, {
    apply(target, self, values: unknown[]) {
      const query: unknown = Reflect.apply(target, self, values);
      const [strings] = values;
      if (!(query instanceof Promise) || !Array.isArray(strings)) return query;
      const text = textOfStrings(strings as string[]);
      // Has no rows to describe, and is sent with its own (`sendCopy`).
      if (/^\s*COPY/.test(text)) return Object.assign(Promise.resolve([]), { options: {} });
      const answer = async () => {
        const described = query as unknown as { describe(): Promise<{ columns?: Column[] }> };
        const { columns } = await send(described.describe());
        if (columns) tell({ text, columns });
        return rows(text);
      };
      const send = <Result>(sent: Promise<Result>): Promise<Result> =>
        new Promise((resolve, reject) =>
          Object.getPrototypeOf(query).then.call(sent, resolve, reject),
        );
      return Object.assign(query, {
        // biome-ignore lint/suspicious/noThenProperty: a query is sent by its `then`
        then: (resolve: (rows: unknown) => unknown, reject: (error: unknown) => unknown) =>
          answer().then(resolve, reject),
        catch: (reject: (error: unknown) => unknown) => answer().catch(reject),
        cursor: (_size: number, read: (part: unknown[]) => void) => answer().then(read),
      });
    },
    get(target, property) {
      if (property === "begin" || property === "savepoint") {
        return (work: (transaction: Sql) => unknown) => work(client);
      }
      if (property === "unsafe") return () => Promise.resolve([]);
      return Reflect.get(target, property);
    },
    // The store's notes about a client would apply to all that follow.
    set: () => true,
  });
  return client;
}
