import type { Config } from "../settings/config.ts";

/** For a chain that is alone. */
const CONNECTIONS = 29;
const MAXIMUM_CONNECTIONS = { indexer: 9, verifier: 4 };

/** The most connections to the database that a chain may hold. */
export function connectionsOf({ DATABASE_CONNECTIONS: connections = CONNECTIONS }: Config): number {
  return connections;
}

/** Shares out connections: three tenths to the indexer, one to the verifier, each up to a maximum, the rest to the API. */
export function shareConnections(config: Config): {
  indexer: number;
  verifier: number;
  api: number;
} {
  const all = connectionsOf(config);
  const indexer = Math.min(MAXIMUM_CONNECTIONS.indexer, Math.max(3, Math.round(all * 0.3)));
  const verifier = Math.min(MAXIMUM_CONNECTIONS.verifier, Math.max(1, Math.round(all * 0.1)));
  return { indexer, verifier, api: all - indexer - verifier };
}
