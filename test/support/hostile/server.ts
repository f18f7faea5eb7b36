import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, vi } from "vitest";
import { getServedHead } from "../../../src/store/sync-state.ts";
import { startAnvil } from "../anvil.ts";
import { startPeriscope } from "../periscope.ts";
import { createTestDatabase } from "../postgres.ts";
import type { HostileRequest } from "./bodies.ts";
import { mainThreadMs, slownessNow } from "./process-costs.ts";
import { sendHostile } from "./send.ts";

/** A server of its own process, with the heap that is recommended, and what it cost. */
export interface HostileServer {
  pid: number;
  /** A contract that has code. */
  address: string;
  send(request: HostileRequest): Promise<number>;
  /** Waits until what was submitted is dealt with, and forgets it: none is refused for those before. */
  finishVerifications(): Promise<void>;
  /** Status, and processor time of the thread that answers in ms of the machine of docs/measurements/README.md. */
  costOf(request: HostileRequest): Promise<{ status: number; ms: number }>;
  /** Fails unless it answers. */
  requireAnswer(): Promise<void>;
  stop(): Promise<void>;
}

/** Limit of a request's event-loop time, in milliseconds. */
export const MOST_MS = { "refused or read": 50, verification: 200 };
/** For first times the JavaScript compiler takes its share, and more of them while it waits for a core. */
const MOST_TIMES = 40;
/** The settings recommended in docs/operations/running.md. */
const HEAP = "--max-old-space-size=192";
/** Init code of a contract whose code is one byte. */
const CREATION = "0x60016000f3";
const PATIENCE = { timeout: 60_000, interval: 50 };

/** Starts a server that has indexed a chain with one contract. */
export async function startHostileServer(): Promise<HostileServer> {
  const [anvil, database] = await Promise.all([startAnvil(), createTestDatabase()]);
  const folder = await mkdtemp(path.join(os.tmpdir(), "periscope-hostile-"));
  const address = await deploy(anvil.url);
  const settings = { DATABASE_URL: database.url, RPC_URL: anvil.url, DATA_DIR: folder };
  const indexer = startPeriscope({ ...settings, ROLE: "indexer" });
  await vi.waitUntil(() => getServedHead(database.sql), PATIENCE);
  await indexer.end();
  const server = startPeriscope({ ...settings, ROLE: "api", NODE_OPTIONS: HEAP });
  const base = (await server.ready).api.replace(/\/api$/, "");
  const pid = server.process.pid ?? 0;
  const send = (request: HostileRequest) => sendHostile(base, request);

  async function finishVerifications(): Promise<void> {
    const countOpen = async () => {
      const [row] = await database.sql<{ open: number }[]>`
        SELECT count(*)::int AS open FROM verification_jobs WHERE state IN ('pending', 'running')`;
      return row?.open;
    };
    await expect.poll(countOpen, PATIENCE).toBe(0);
    await database.sql`DELETE FROM verification_jobs`;
  }

  return {
    pid,
    address,
    send,
    finishVerifications,
    async costOf(request) {
      const statuses: number[] = [];
      let least = Number.POSITIVE_INFINITY;
      while (statuses.length < MOST_TIMES && least > MOST_MS[request.kind] / 2) {
        const before = mainThreadMs(pid);
        statuses.push(await send(request));
        if (request.kind === "verification") await finishVerifications();
        const ms = mainThreadMs(pid) - before;
        least = Math.min(least, ms / slownessNow());
      }
      return { status: Math.max(...statuses), ms: least };
    },
    async requireAnswer() {
      const answer = await fetch(`${base}/api?module=block&action=eth_block_number`);
      expect(answer.status).toBe(200);
    },
    async stop() {
      await server.end();
      await database.drop();
      await anvil.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function deploy(nodeUrl: string): Promise<string> {
  const ask = async (method: string, params: unknown[]) => {
    const answer = await fetch(nodeUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    return ((await answer.json()) as { result: unknown }).result;
  };
  const [from] = (await ask("eth_accounts", [])) as string[];
  const hash = await ask("eth_sendTransaction", [{ from, data: CREATION }]);
  // Under load anvil answers the hash before the block is there.
  const receipt = await vi.waitUntil(() => ask("eth_getTransactionReceipt", [hash]), PATIENCE);
  return (receipt as { contractAddress: string }).contractAddress;
}
