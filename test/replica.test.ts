import { afterAll, beforeAll, expect, test } from "vitest";
import { createSql } from "../src/db/client.ts";
import { type Anvil, startAnvil } from "./support/anvil.ts";
import { setSyncState } from "./support/build.ts";
import { type Periscope, startPeriscope } from "./support/periscope.ts";
import { createTestDatabase } from "./support/postgres.ts";
import { type ReplicatedDatabase, startReplicatedDatabase } from "./support/replica.ts";

const PATIENCE = { timeout: 60_000, interval: 50 };

let anvil: Anvil;
let database: ReplicatedDatabase;
const running: Periscope[] = [];

beforeAll(async () => {
  [anvil, database] = await Promise.all([startAnvil(), startReplicatedDatabase()]);
});
afterAll(async () => {
  await Promise.all(running.map((periscope) => periscope.end("SIGKILL")));
  await database?.stop();
  await anvil?.stop();
});

async function start(settings: Record<string, string>): Promise<string> {
  const common = { DATABASE_URL: database.primaryUrl, RPC_URL: anvil.url };
  const periscope = startPeriscope({ ...common, ...settings });
  running.push(periscope);
  const listening = () =>
    /Server listening at (http:\S+)/.exec(periscope.messages().join("\n"))?.[1];
  await expect.poll(listening, PATIENCE).toBeDefined();
  return listening() ?? "";
}

test("a database that holds another chain is not read from", async () => {
  const other = await createTestDatabase();
  await setSyncState(other.sql, { chainId: 5 });
  const periscope = startPeriscope({
    DATABASE_URL: database.primaryUrl,
    RPC_URL: anvil.url,
    ROLE: "api",
    CHAIN_ID: "31337",
    DATABASE_READ_URL: other.url,
  });
  running.push(periscope);
  expect(await periscope.ended).toBe(1);
  expect(periscope.complaints()).toContain(
    "DATABASE_READ_URL holds chain 5, but chain 31337 is expected",
  );
  await other.drop();
});

async function callNode(method: string, params: unknown[] = []): Promise<string> {
  const answer = await fetch(anvil.url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return ((await answer.json()) as { result: string }).result;
}

async function ask(url: string, query: string): Promise<unknown> {
  return ((await (await fetch(`${url}/api?${query}`)).json()) as { result: unknown }).result;
}

const headAt = (url: string) => ask(url, "module=block&action=eth_block_number");

test("a server on a streaming replica answers for the replica's own head, however far behind it is", async () => {
  await start({ ROLE: "indexer" });
  const current = await start({ ROLE: "api" });
  const replicated = await start({ ROLE: "api", DATABASE_READ_URL: database.replicaUrl });
  await callNode("anvil_mine", ["0x5"]);
  await expect.poll(() => headAt(replicated), PATIENCE).toBe("0x5");

  const replica = createSql(database.replicaUrl, { connections: 1 });
  await replica`SELECT pg_wal_replay_pause()`;
  await callNode("anvil_setBalance", [`0x${"42".repeat(20)}`, "0x7"]);
  const [account] = (await callNode("eth_accounts")) as unknown as string[];
  const payment = { from: account, to: `0x${"42".repeat(20)}`, value: "0x1" };
  await callNode("eth_sendTransaction", [payment]);
  await expect.poll(() => headAt(current), PATIENCE).toBe("0x6");

  const transactions = `module=account&action=txlist&address=0x${"42".repeat(20)}`;
  expect(await ask(current, transactions)).toHaveLength(1);
  expect(await ask(replicated, transactions)).toEqual([]);
  expect(await headAt(replicated)).toBe("0x5");

  await replica`SELECT pg_wal_replay_resume()`;
  await replica.end();
  await expect.poll(() => headAt(replicated), PATIENCE).toBe("0x6");
  expect(await ask(replicated, transactions)).toEqual(await ask(current, transactions));
});

test("a server on a replica submits verifications to the primary", async () => {
  const replicated = await start({ ROLE: "api", DATABASE_READ_URL: database.replicaUrl });
  await expect.poll(() => headAt(replicated), PATIENCE).toBe("0x6");
  const answer = await fetch(`${replicated}/api`, {
    method: "POST",
    body: new URLSearchParams({
      module: "contract",
      action: "verifysourcecode",
      contractaddress: `0x${"42".repeat(20)}`,
      sourceCode: "contract Nothing {}",
      codeformat: "solidity-single-file",
      contractname: "Nothing",
      compilerversion: "v0.8.37+commit.f401782d",
    }),
  });
  expect(answer.status).toBe(200);
  expect(await answer.text()).not.toContain("read-only");
});
