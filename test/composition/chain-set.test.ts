import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type Anvil, startAnvil } from "../support/anvil.ts";
import { type ChainsFile, createChainsFile } from "../support/chains-file.ts";
import { type Periscope, startPeriscope } from "../support/periscope.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";

const PATIENCE = { timeout: 90_000, interval: 100 };
const DAYS = "/31337/api?module=stats&action=dailytx&startdate=2025-01-01&enddate=2025-01-02";

let node: Anvil;
let database: TestDatabase;
let file: ChainsFile;
let periscope: Periscope;
let url: string;
let changes = 0;

beforeAll(async () => {
  [node, database] = await Promise.all([startAnvil(["--chain-id", "31337"]), createTestDatabase()]);
  file = createChainsFile();
  writeSettings();
  periscope = startPeriscope({
    DATABASE_URL: database.url,
    CHAINS_FILE: file.path,
    // A chain that leaves is not closed by its time limit meanwhile.
    REQUEST_TIMEOUT_MS: "600000",
    STATEMENT_TIMEOUT_MS: "60000",
  });
  const listening = await vi.waitUntil(
    () => /Server listening at (http:\S+)/.exec(periscope.messages().join("\n")),
    PATIENCE,
  );
  url = listening[1] ?? "";
  await vi.waitUntil(async () => (await fetch(`${url}/health/ready`)).ok, PATIENCE);
});
afterAll(async () => {
  await periscope.end();
  await Promise.all([node.stop(), database.drop()]);
  file.remove();
});

/** Writes the chain with another name than before. */
function writeSettings(): void {
  const settings = { CHAIN_ID: 31_337, RPC_URL: node.url, DATABASE_SCHEMA: "chain" };
  file.write([{ ...settings, NETWORK_NAME: nameOfChain() }]);
}

function nameOfChain(): string {
  return `name-${changes}`;
}

/** Changes the chain's settings, and waits until it is up with them. */
async function change(): Promise<void> {
  changes++;
  writeSettings();
  periscope.process.kill("SIGHUP");
  const head = `${url}/${nameOfChain()}/api?module=block&action=eth_block_number`;
  await expect.poll(async () => (await fetch(head)).status, PATIENCE).toBe(200);
}

async function sessions(): Promise<number[]> {
  const rows = await database.sql<{ pid: number }[]>`
    SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND application_name IN ('periscope api', 'periscope verifier')`;
  return rows.map(({ pid }) => pid);
}

test("a chain whose settings change gives its connections back", async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => fetch(url + DAYS)));
  for (const answer of answers) expect(answer.status).toBe(200);
  const earlier = new Set(await sessions());
  expect(earlier.size).toBeGreaterThan(1);
  await change();
  await expect
    .poll(async () => (await sessions()).filter((pid) => earlier.has(pid)), PATIENCE)
    .toEqual([]);
});

test("a request under way is answered by the chain that leaves", async () => {
  const { answer } = await database.sql.begin(async (locking) => {
    await locking`LOCK TABLE chain.daily_statistics`;
    const asked = fetch(url + DAYS);
    await expect
      .poll(
        () => database.sql`
          SELECT FROM pg_stat_activity WHERE datname = current_database()
            AND application_name = 'periscope api' AND wait_event_type = 'Lock'`,
        PATIENCE,
      )
      .toHaveLength(1);
    for (let round = 0; round < 10; round++) await change();
    return { answer: asked };
  });
  expect((await answer).status).toBe(200);
});
