import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import type { Address } from "../../src/core/evm/address.ts";
import { DEFAULT_LIMITS } from "../../src/verification/process/worker-process.ts";
import { neverEnding } from "./hostile-sources.ts";
import { deployProgram, note, requestFor, startWorld, type World } from "./world.ts";

const VERIFIER = path.join(import.meta.dirname, "verifier-process.ts");
const POLL = { timeout: 60_000 };

let world: World;
let folder: string;

beforeAll(async () => {
  world = await startWorld();
  // Every verifier removes what processes that have ended left in its folder, also those of other files.
  folder = await mkdtemp(path.join(os.tmpdir(), "periscope-crash-"));
  await chmod(folder, 0o755);
  vi.stubEnv("TMPDIR", folder);
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await world.stop();
  await rm(folder, { recursive: true });
});

function startProcess(): ChildProcess {
  const { database, node, compilers } = world;
  const child = spawn(process.execPath, [VERIFIER, database.url, node.anvil.url, compilers.path], {
    stdio: "inherit",
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  return child;
}

/** Worker processes that live, by the process they work for. */
function workers(): { pid: number; parent: number }[] {
  const rows = execFileSync("ps", ["-axo", "pid=,ppid=,stat=,args="], { encoding: "utf8" });
  return rows.split("\n").flatMap((row) => {
    const [pid, parent, state = "", ...command] = row.trim().split(/\s+/);
    const isWorker = command.some((word) => word.endsWith("verification/process/worker.ts"));
    // A zombie process no longer counts.
    return isWorker && !state.startsWith("Z") ? [{ pid: Number(pid), parent: Number(parent) }] : [];
  });
}

function workersOf(parent: number | undefined): number[] {
  return workers()
    .filter((worker) => worker.parent === parent)
    .map(({ pid }) => pid);
}

/** Kills the process once its job has a worker; nothing of both is left when this resolves. */
async function killAtWork(child: ChildProcess): Promise<void> {
  await expect.poll(() => workersOf(child.pid).length, POLL).toBe(1);
  const [worker = 0] = workersOf(child.pid);
  child.kill("SIGKILL");
  await once(child, "exit");
  await expect.poll(() => workers().some(({ pid }) => pid === worker), POLL).toBe(false);
}

async function submit(address: Address, source: string): Promise<string> {
  const waiting = world.startVerifier({ concurrency: 0 });
  const submission = await waiting.submit(
    requestFor(address, { source, name: "Note" }),
    "somebody",
  );
  await waiting.close();
  if (submission.outcome !== "accepted") throw new Error(submission.outcome);
  return submission.guid;
}

/** The state that others find after 15 s. */
async function letLeaseRunOut(): Promise<void> {
  await world.sql`UPDATE verification_jobs SET lease_until = '-infinity' WHERE state = 'running'`;
}

/** Folders of worker processes that the process started. */
function foldersOf({ pid }: ChildProcess): string[] {
  return readdirSync(folder).filter((name) => name.startsWith(`periscope-compiler-${pid}-`));
}

test("a job whose process is killed runs again, and nothing of its compiler outlives the process for long", async () => {
  const address = await deployProgram(world.node, note("survivor"));
  const guid = await submit(address, neverEnding("Note"));
  const killed = startProcess();
  await killAtWork(killed);
  expect(foldersOf(killed)).toHaveLength(1);
  await world.sql`
    UPDATE verification_jobs SET request = ${JSON.stringify(requestFor(address, note("survivor")))}
    WHERE guid = ${guid}`;
  await letLeaseRunOut();
  const next = world.startVerifier();
  onTestFinished(() => next.close());
  expect(await next.wait(guid, POLL.timeout)).toMatchObject({ state: "passed" });
  expect(foldersOf(killed)).toEqual([]);
});

test("a job that ends two processes fails", async () => {
  const address = await deployProgram(world.node, note("killer"));
  const guid = await submit(address, neverEnding("Note"));
  for (let round = 0; round < 2; round++) {
    await killAtWork(startProcess());
    await letLeaseRunOut();
  }
  const next = world.startVerifier();
  onTestFinished(() => next.close());
  expect(await next.wait(guid, POLL.timeout)).toMatchObject({
    address,
    state: "failed",
    failure: "crashed",
    reason: "Unable to verify: unknown error. The verification broke off twice.",
  });
});

test("a job whose worker is killed runs again at once", async () => {
  const address = await deployProgram(world.node, note("restarted"));
  const guid = await submit(address, neverEnding("Note"));
  const limits = { ...DEFAULT_LIMITS, compileTimeoutMs: 1000 };
  const verifier = world.startVerifier({ limits });
  onTestFinished(() => verifier.close());
  await expect.poll(() => workersOf(process.pid).length, POLL).toBe(1);
  process.kill(workersOf(process.pid)[0] ?? 0, "SIGKILL");
  expect(await verifier.wait(guid, POLL.timeout)).toMatchObject({
    state: "failed",
    failure: "compiler-limit",
    reason: "There was an error compiling your contract: it took too long (1 s).",
  });
  const [job] = await world.sql`SELECT attempts FROM verification_jobs WHERE guid = ${guid}`;
  expect(job).toEqual({ attempts: 2 });
});
