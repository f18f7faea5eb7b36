import { sleep } from "./core/async.ts";
import { ConfigError, messageOf } from "./core/errors.ts";
import { createSql } from "./db/client.ts";
import { migrate } from "./db/migrate.ts";
import { demandSession } from "./db/session.ts";
import type { Sources, Surroundings } from "./sources.ts";
import { getChainIdentity } from "./store/sync-state.ts";

/** Of a connection that was taken away: by the server, or by what is between. */
const LOST_CODES: ReadonlySet<string> = new Set(["57P01", "CONNECTION_CLOSED", "ECONNRESET"]);
const PREPARE_ATTEMPTS = 20;
const PREPARE_RETRY_MS = 250;

/** Brings the tables up to date; returns the id of the chain that they hold, if they hold one. */
export async function prepareDatabase(
  { databaseUrl, schema }: Sources,
  { log, signal }: Surroundings,
): Promise<number | undefined> {
  const sql = createSql(databaseUrl, { schema, connections: 2 });
  try {
    for (let attempt = 1; ; attempt++) {
      try {
        await demandSession(sql, schema);
        await migrate(sql, schema);
        return (await getChainIdentity(sql))?.chainId;
      } catch (error) {
        // One that was there and is lost; one that cannot be reached at all is told of at once.
        const isLost = LOST_CODES.has(errorCode(error));
        if (!isLost || attempt === PREPARE_ATTEMPTS || signal.aborted) throw error;
        log.warn(`the connection to the database was lost, trying again: ${messageOf(error)}`);
        await sleep(PREPARE_RETRY_MS, signal);
      }
    }
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const { host, pathname } = new URL(databaseUrl);
    const reason = messageOf(error) || errorCode(error);
    throw new ConfigError(`the database ${host}${pathname} cannot be used: ${reason}`, {
      cause: error,
    });
  } finally {
    await sql.end({ timeout: 0 });
  }
}

function errorCode(error: unknown): string {
  return String((error as NodeJS.ErrnoException).code ?? error);
}
