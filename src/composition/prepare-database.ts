import { sleep } from "../core/async.ts";
import { ConfigError, codeOf, messageOf, PublicConfigError } from "../core/errors.ts";
import { createSql, type Sql, type SqlOptions } from "../db/client.ts";
import { publicReasonOf } from "../db/failures.ts";
import { migrate } from "../db/migrate.ts";
import { countAllowedConnections, describeDatabase, requireSession } from "../db/session.ts";
import { distributeTables, isDistributed } from "../store/cluster/distribution.ts";
import { haveSecret } from "../store/index-keys.ts";
import { getIndexState } from "../store/sync-state.ts";
import type { ProcessContext } from "./backends.ts";

/** Errors of a connection lost at the server or in the network. */
const LOST_CODES: ReadonlySet<string> = new Set(["57P01", "CONNECTION_CLOSED", "ECONNRESET"]);
const PREPARE_ATTEMPTS = 20;
const PREPARE_RETRY_MS = 250;

/** Throws `ConfigError` if the database is unreachable or allows fewer connections. */
export async function requireConnections(databaseUrl: string, wanted: number): Promise<void> {
  const allowed = await onDatabase(databaseUrl, { connections: 1 }, countAllowedConnections);
  if (wanted <= allowed) return;
  throw new PublicConfigError(
    `the chains may hold ${wanted} connections together, but the database allows ${allowed}; ` +
      "lower DATABASE_CONNECTIONS, or raise max_connections there",
  );
}

/** Migrates the tables, and logs work that only the operator can do for them. Returns the chain in them, if any, and if they are distributed. */
export async function prepareDatabase(
  { databaseUrl, schema }: { databaseUrl: string; schema: string },
  { log, signal }: Pick<ProcessContext, "log" | "signal">,
) {
  return onDatabase(databaseUrl, { schema, connections: 2 }, async (sql) => {
    for (let attempt = 1; ; attempt++) {
      try {
        await requireSession(sql, schema);
        await migrate(sql, schema);
        await distributeTables(sql);
        if (!(await haveSecret(sql))) {
          log.warn(
            "the indexes of this database have no secret, so any client can slow down the pages of a chosen address; " +
              'docs/operations/database.md, "Keys without a secret", describes how to give them one',
          );
        }
        return { known: await getIndexState(sql), isSpread: await isDistributed(sql) };
      } catch (error) {
        // A lost connection is tried again; an unreachable database is an error at once.
        const isLost = LOST_CODES.has(codeOf(error));
        if (!isLost || attempt === PREPARE_ATTEMPTS || signal.aborted) throw error;
        log.warn(`the connection to the database was lost, trying again: ${messageOf(error)}`);
        await sleep(PREPARE_RETRY_MS, signal);
      }
    }
  });
}

/** Throws `ConfigError` when DATABASE_READ_URL fails, holds another chain, or is a replica of a chain on several servers. */
export async function requireSameChain(
  readUrl: string,
  { schema, chainId, isSpread }: { schema: string; chainId: number | undefined; isSpread: boolean },
): Promise<void> {
  await onDatabase(readUrl, { schema, connections: 1, mayBePooled: true }, async (sql) => {
    const current = await describeDatabase(sql);
    if (current.schema !== null && current.schema !== schema) {
      throw new PublicConfigError(
        `DATABASE_READ_URL leads to the schema ${current.schema} instead of ${schema}: a pooler that ignores search_path needs ` +
          "it set for the chain's own entry or role, see docs/operations/database.md",
      );
    }
    if (isSpread && current.isReplica) {
      throw new PublicConfigError(
        "DATABASE_READ_URL is a replica of a coordinator of several servers: the workers may be ahead of it; read from the " +
          "coordinator, see docs/operations/scale.md",
      );
    }
    const found = current.hasTables ? await getIndexState(sql) : undefined;
    if (found && chainId !== undefined && found.chainId !== chainId) {
      throw new PublicConfigError(
        `DATABASE_READ_URL holds chain ${found.chainId}, but chain ${chainId} is expected; give the replica of DATABASE_URL`,
      );
    }
  });
}

/** Runs work with a client of its own. Throws `ConfigError` when the database is unusable. */
async function onDatabase<Result>(
  url: string,
  options: SqlOptions,
  work: (sql: Sql) => Promise<Result>,
): Promise<Result> {
  const sql = createSql(url, options);
  try {
    return await work(sql);
  } catch (error) {
    throw unusable(url, error);
  } finally {
    await sql.end({ timeout: 0 });
  }
}

function unusable(url: string, error: unknown): ConfigError {
  if (error instanceof ConfigError) return error;
  const { host, pathname } = new URL(url);
  const reason = messageOf(error) || codeOf(error);
  const known = publicReasonOf(error);
  const advice = known === undefined ? "" : ` (${known})`;
  return new ConfigError(`the database ${host}${pathname} cannot be used: ${reason}${advice}`, {
    cause: error,
    publicMessage: known ?? "the database cannot be used; see the log for the cause",
  });
}
