import { pino } from "pino";
import { createChain } from "../../src/chain/client.ts";
import { createSql } from "../../src/db/client.ts";
import { createCatalogue } from "../../src/verification/compilers/catalogue.ts";
import { startTestVerifier } from "../support/verifier.ts";

// A verifier as a process of its own, to be killed: database, node and compilers are its arguments.

const [databaseUrl = "", rpcUrl = "", folder = ""] = process.argv.slice(2);
const log = pino({ level: "silent" });

startTestVerifier({
  sql: createSql(databaseUrl, { connections: 4 }),
  chain: createChain({
    urls: [rpcUrl],
    requestTimeoutMs: 30_000,
    batchSize: 100,
    concurrency: 4,
    maxResponseBytes: 32 * 1024 * 1024,
    traces: "off",
    log,
    signal: new AbortController().signal,
  }),
  catalogue: createCatalogue({
    folders: { solc: folder, vyper: undefined },
    downloads: { solc: undefined, vyper: undefined },
  }),
  concurrency: 1,
  log,
});
