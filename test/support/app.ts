import type { FastifyInstance } from "fastify";
import pino from "pino";
import { createServer, type ServerOptions } from "../../src/api/server.ts";
import type { Chain } from "../../src/chain/chain.ts";
import type { Sql } from "../../src/db/client.ts";
import { createTestDatabase } from "./postgres.ts";

/** The server over a database of its own. */
export interface TestApp {
  app: FastifyInstance;
  sql: Sql;
  /** Ends the server and removes the database. */
  close(): Promise<void>;
}

export const TEST_CHAIN_ID = 31_337;

/** A chain that was not given: whatever is asked of it fails the test that asked. */
const noChain = new Proxy({} as Chain, {
  get: (_target, name) => {
    throw new Error(`this test has no node, yet chain.${String(name)} was used`);
  },
});

/** Builds the server over an empty, migrated database; fill it with the builders of build.ts. */
export async function createTestApp(options: Partial<ServerOptions> = {}): Promise<TestApp> {
  const database = await createTestDatabase();
  const app = createServer({
    sql: database.sql,
    chain: noChain,
    chainId: TEST_CHAIN_ID,
    log: pino({ level: "silent" }),
    staticReward: 0n,
    sendRawTransaction: true,
    version: "0.0.0-test",
    priceFeeds: {},
    requestTimeoutMs: 10_000,
    ...options,
  });
  await app.ready();
  return {
    app,
    sql: database.sql,
    close: async () => {
      await app.close();
      await database.drop();
    },
  };
}
