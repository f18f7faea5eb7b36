import { cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";
import type { Sql } from "../../../src/db/client.ts";
import { migrate } from "../../../src/db/migrate.ts";

/** The database of a release: its migrations, and the rows of its tables as COPY writes them. */
interface ReleaseData {
  /** Numbers of the migrations that had run. */
  migrations: number[];
  tables: { name: string; columns: string[]; rows: string }[];
}

const MIGRATIONS = path.join(import.meta.dirname, "../../../migrations");
export const RELEASES = path.join(import.meta.dirname, "../../fixtures/releases");

/** Everything that stands in a database. */
export async function readData(sql: Sql): Promise<ReleaseData> {
  const ran = await sql<{ number: number }[]>`SELECT number FROM migrations ORDER BY 1`;
  const tables = await sql<{ name: string; columns: string }[]>`
    SELECT relname AS name, string_agg(attname, ',' ORDER BY attnum) AS columns
    FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
    WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND relname <> 'migrations'
      AND attnum > 0 AND NOT attisdropped AND attgenerated = '' AND attidentity = ''
    GROUP BY 1 ORDER BY 1`;
  const data: ReleaseData = { migrations: ran.map(({ number }) => number), tables: [] };
  for (const { name, columns } of tables) {
    const list = columns.split(",");
    const copy = await sql`COPY ${sql(name)} (${sql(list)}) TO STDOUT`.readable();
    const rows = (await copy.toArray()).join("");
    if (rows !== "") data.tables.push({ name, columns: list, rows });
  }
  return data;
}

/** Makes the database of a release in an empty one, as that release left it. */
export async function restoreRelease(sql: Sql, release: string): Promise<void> {
  const packed = await readFile(path.join(RELEASES, `${release}.json.gz`));
  const { migrations, tables } = JSON.parse(gunzipSync(packed).toString()) as ReleaseData;
  const folder = await mkdtemp(path.join(os.tmpdir(), "periscope-release-"));
  try {
    for (const name of await readdir(MIGRATIONS)) {
      if (migrations.includes(Number(name.slice(0, 4))))
        await cp(path.join(MIGRATIONS, name), path.join(folder, name));
    }
    await migrate(sql, "public", pathToFileURL(`${folder}/`));
  } finally {
    await rm(folder, { recursive: true });
  }
  for (const { name, columns, rows } of tables) {
    await sql`DELETE FROM ${sql(name)}`;
    const copy = await sql`COPY ${sql(name)} (${sql(columns)}) FROM STDIN`.writable();
    await pipeline(Readable.from([rows]), copy);
  }
}
