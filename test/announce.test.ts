import pino from "pino";
import { expect, test, vi } from "vitest";
import { announce } from "../src/announce.ts";
import { startApp } from "../src/app.ts";
import { createSecrets } from "../src/core/secrets.ts";
import { createShutdown } from "../src/core/shutdown.ts";
import { loadSettings } from "../src/settings/chains-file.ts";
import { createLabelFiles } from "../src/settings/labels-file.ts";
import { createChainsFile } from "./support/chains-file.ts";
import { createTestDatabase } from "./support/postgres.ts";

const chain = (id: number) => ({
  CHAIN_ID: id,
  RPC_URL: "http://127.0.0.1:1",
  DATABASE_SCHEMA: `chain_${id}`,
});

test("nobody waits for the first synchronisation of a chain that has left", async () => {
  const database = await createTestDatabase();
  const file = createChainsFile([chain(1), chain(2)]);
  const environment = {
    DATABASE_URL: database.url,
    CHAINS_FILE: file.path,
    ROLE: "api",
    PORT: "0",
    REQUEST_TIMEOUT_MS: "1000",
  };
  const log = pino({ level: "silent" });
  const stopping = new AbortController();
  const shutdown = createShutdown(() => {});
  const context = {
    log,
    secrets: createSecrets([]),
    signal: stopping.signal,
    shutdown,
    labelFiles: createLabelFiles(),
    onFatal: (reason: string) => expect.unreachable(reason),
  };
  const waits = new Map<number, Promise<void>>();
  const app = await startApp(loadSettings(environment), context, (started) =>
    waits.set(Number(/\d+$/.exec(started.apiUrl ?? "")), announce(started)),
  );
  await vi.waitUntil(() => waits.size === 2, { timeout: 30_000 });

  file.write([chain(1)]);
  await app.replaceChains?.(loadSettings(environment).chains);
  await waits.get(2);

  stopping.abort();
  await waits.get(1);
  await shutdown.close();
  await database.drop();
  file.remove();
});
