import type { Config } from "../settings/config.ts";

/** For the only chain. */
const CONNECTIONS = 29;
const MAXIMUM_CONNECTIONS = { indexer: 9, verifier: 4 };

/** Returns the most database connections of a chain. */
export function connectionsOf({ DATABASE_CONNECTIONS: connections = CONNECTIONS }: Config): number {
  return connections;
}

/** Divides a chain's connections: three tenths to the indexer, one to the verifier, the rest to the API; the first two have a maximum. */
export function shareConnections(config: Config) {
  const all = connectionsOf(config);
  const indexer = Math.min(MAXIMUM_CONNECTIONS.indexer, Math.max(3, Math.round(all * 0.3)));
  const verifier = Math.min(MAXIMUM_CONNECTIONS.verifier, Math.max(1, Math.round(all * 0.1)));
  return { indexer, verifier, api: all - indexer - verifier };
}
