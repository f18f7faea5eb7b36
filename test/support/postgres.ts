import { createHash, randomBytes } from "node:crypto";
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

/** Creates a database for a test file, filled by SQL if it is given; drop it in `afterAll`. */
export async function createTestDatabase(content?: string): Promise<TestDatabase> {
  const serverUrl = inject("postgresUrl");
  const name = `test_${randomBytes(8).toString("hex")}`;
  const servers = [serverUrl, ...inject("workerUrls")];
  const admins = servers.map((server) => createSql(server, { connections: 1 }));
  const onAll = (statement: string) => Promise.all(admins.map((admin) => admin.unsafe(statement)));
  const template = content === undefined ? TEMPLATE : await filledTemplate(content);
  await onAll(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
  const url = urlOf(name);
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

function urlOf(database: string): URL {
  const url = new URL(inject("postgresUrl"));
  url.pathname = database;
  return url;
}

/** Returns the name of a database with the content, which the first file of a run that needs it fills. */
async function filledTemplate(content: string): Promise<string> {
  const name = `filled_${createHash("sha256").update(content).digest("hex").slice(0, 16)}`;
  const admin = createSql(inject("postgresUrl"), { connections: 1 });
  try {
    await admin`SELECT pg_advisory_lock(1)`;
    const [found] = await admin`SELECT FROM pg_database WHERE datname = ${name}`;
    if (found) return name;
    await admin.unsafe(`CREATE DATABASE ${name}_new TEMPLATE ${TEMPLATE} STRATEGY FILE_COPY`);
    const sql = createSql(urlOf(`${name}_new`).href, { connections: 1 });
    await sql.unsafe(content);
    await sql.end();
    await admin.unsafe(`ALTER DATABASE ${name}_new RENAME TO ${name}`);
    return name;
  } finally {
    await admin.end();
  }
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
