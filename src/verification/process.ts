import { type ChildProcess, fork } from "node:child_process";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { PeriscopeError } from "../core/errors.ts";
import type { CompilerBuild } from "./compilers/build.ts";
import { VerificationError, type VerificationFailure } from "./errors.ts";
import { residentBytes } from "./memory.ts";
import type { WorkerAnswer, WorkerReport, WorkerTask } from "./worker.ts";

/** Bounds of one worker process. */
export interface WorkerLimits {
  /** Of one compile. */
  compileTimeoutMs: number;
  /** Of everything the process does. */
  timeoutMs: number;
  /** Resident memory of the process and what it starts. */
  memoryBytes: number;
  /** Of what a compiler answers. */
  maxOutputBytes: number;
}

export const DEFAULT_LIMITS: WorkerLimits = {
  compileTimeoutMs: 60_000,
  timeoutMs: 110_000,
  memoryBytes: 1.5 * 2 ** 30,
  maxOutputBytes: 64 * 2 ** 20,
};

/** The worker process ended without an answer, or was ended by the signal of the caller. */
export class WorkerError extends PeriscopeError {
  constructor(message: string) {
    super("worker", message);
  }
}

type TaskInput<Task extends WorkerTask = WorkerTask> = Task extends unknown
  ? Omit<Task, "maxOutputBytes">
  : never;

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const WORKER = fileURLToPath(new URL("worker.ts", import.meta.url));
const MEMORY_INTERVAL_MS = 250;
const MAX_WORDS = 2000;

/**
 * Has a task done by a process of its own, which is killed at every bound and when `signal` is aborted. It sees no
 * environment, an empty folder, the source of this program and the compiler's file. Throws `VerificationError` when the
 * task fails in its own terms or at a bound, `WorkerError` otherwise.
 */
export async function runWorker(
  task: TaskInput,
  limits: WorkerLimits,
  signal?: AbortSignal,
): Promise<Exclude<WorkerAnswer, { type: "failed" }>> {
  const folder = await mkdtemp(path.join(tmpdir(), "periscope-compiler-"));
  try {
    signal?.throwIfAborted();
    const file = await realpath(task.build.file);
    const worker = startWorker({ ...task.build, file }, folder);
    const build = { ...task.build, file };
    return await supervise(
      worker,
      { ...task, build, maxOutputBytes: limits.maxOutputBytes },
      limits,
      signal,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function startWorker(build: CompilerBuild, folder: string): ChildProcess {
  const readable = [
    path.join(ROOT, "src/"),
    path.join(ROOT, "node_modules/"),
    path.join(ROOT, "package.json"),
  ];
  const permissions = ["--permission", "--allow-worker"];
  // An executable is beyond Node's permissions: it gets no more than any program of this user does.
  if (build.kind !== "soljson") permissions.push("--allow-child-process");
  return fork(WORKER, [String(process.pid)], {
    execArgv: [
      "--no-warnings",
      ...permissions,
      ...[...readable, build.file].map((file) => `--allow-fs-read=${file}`),
    ],
    cwd: folder,
    env: {},
    // A group of its own, so that a compiler which is an executable can be killed with it.
    detached: true,
    serialization: "advanced",
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
}

function supervise(
  worker: ChildProcess,
  task: WorkerTask,
  limits: WorkerLimits,
  signal: AbortSignal | undefined,
): Promise<Exclude<WorkerAnswer, { type: "failed" }>> {
  return new Promise((resolve, reject) => {
    let answer: WorkerAnswer | undefined;
    let expected: VerificationFailure | undefined;
    let bound: VerificationFailure | undefined;
    let compileTimer: NodeJS.Timeout | undefined;
    let words = "";

    const kill = () => {
      if (worker.pid !== undefined && worker.exitCode === null) killGroup(worker.pid);
    };
    const stopAt = (limit: "time" | "memory", text: string) => {
      bound = { code: "compiler-limit", limit, bound: text };
      kill();
    };
    const stopLate = (ms: number) => () => stopAt("time", `${Math.round(ms / 1000)} s`);
    const timer = setTimeout(stopLate(limits.timeoutMs), limits.timeoutMs);
    const memoryTimer = setInterval(() => {
      void residentBytes(worker.pid ?? 0).then((bytes) => {
        if (bytes > limits.memoryBytes)
          stopAt("memory", `${Math.round(limits.memoryBytes / 2 ** 20)} MB`);
      });
    }, MEMORY_INTERVAL_MS);
    signal?.addEventListener("abort", kill);

    worker.stderr?.setEncoding("utf8").on("data", (text: string) => {
      words = (words + text).slice(-MAX_WORDS);
    });
    worker.on("message", (message) => {
      const said = message as WorkerReport | WorkerAnswer;
      clearTimeout(compileTimer);
      if (said.type === "compiling") {
        compileTimer = setTimeout(stopLate(limits.compileTimeoutMs), limits.compileTimeoutMs);
      } else if (said.type === "expect") expected = said.failure;
      else if (said.type !== "compiled") answer = said;
    });
    worker.on("error", (error) => {
      words += error.message;
    });
    worker.on("close", (code, signalName) => {
      clearTimeout(timer);
      clearTimeout(compileTimer);
      clearInterval(memoryTimer);
      signal?.removeEventListener("abort", kill);
      if (answer !== undefined && answer.type !== "failed") return resolve(answer);
      const failure = answer?.failure ?? expected ?? bound;
      if (signal?.aborted) reject(new WorkerError("stopped"));
      else if (failure !== undefined) reject(new VerificationError(failure));
      else reject(new WorkerError(`ended with ${signalName ?? `exit code ${code}`}: ${words}`));
    });
    worker.send(task, (error) => {
      if (error) kill();
    });
  });
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
