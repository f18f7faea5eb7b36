import { randomBytes } from "node:crypto";
import { inject } from "vitest";
import { createSql, type Sql } from "../../src/db/client.ts";
import { TEMPLATE } from "./global-setup.ts";

/** A migrated, empty database of its own. */
export interface TestDatabase {
  /** URL for parts that open their own connections. */
  url: string;
  sql: Sql;
  /** Closes `sql` and removes the database, despite other connections. */
  drop(): Promise<void>;
}

/** Creates a database for a test file; drop it in `afterAll`. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const serverUrl = inject("postgresUrl");
  const name = `test_${randomBytes(8).toString("hex")}`;
  const servers = [serverUrl, ...inject("workerUrls")];
  const admins = servers.map((server) => createSql(server, { connections: 1 }));
  const onAll = (statement: string) => Promise.all(admins.map((admin) => admin.unsafe(statement)));
  await onAll(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE} STRATEGY FILE_COPY`);
  const url = new URL(serverUrl);
  url.pathname = name;
  const sql = createSql(url.href, { connections: 5 });
  return {
    url: url.href,
    sql,
    drop: async () => {
      await sql.end({ timeout: 1 });
      for (const admin of admins) await dropDatabase(admin, name);
      await Promise.all(admins.map((admin) => admin.end()));
    },
  };
}

/** PostgreSQL's code for a database in use. */
const OBJECT_IN_USE = "55006";

/** Drops a database in use. Citus' own sessions come back while it is dropped. */
async function dropDatabase(admin: Sql, name: string): Promise<void> {
  for (;;) {
    try {
      await admin.unsafe(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== OBJECT_IN_USE) throw error;
    }
  }
}
