import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, realpathSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { codeOf, PeriscopeError } from "../../core/errors.ts";
import { brokenCompiler } from "../compilers/compiler.ts";
import type { CompilerBuild } from "../compilers/versions.ts";
import { VerificationError, type VerificationFailure } from "../errors.ts";
import {
  createWorkerFolder,
  removeWorkerFolder,
  residentBytes,
  stackKilobytes,
} from "./machine.ts";
import type { Task, WorkerAnswer, WorkerReport, WorkerTask } from "./worker.ts";

/** Limits of one worker process. */
export interface WorkerLimits {
  /** Time of one compile. */
  compileTimeoutMs: number;
  /** Time of the whole task. */
  timeoutMs: number;
  /** Resident memory of the process and its children. */
  memoryBytes: number;
  /** Size of a compiler's answer. */
  maxOutputBytes: number;
}

export const DEFAULT_LIMITS: WorkerLimits = {
  compileTimeoutMs: 60_000,
  timeoutMs: 110_000,
  memoryBytes: 1.5 * 2 ** 30,
  maxOutputBytes: 64 * 2 ** 20,
};

/** The worker process ended without an answer, or by the caller's signal. */
class WorkerError extends PeriscopeError {
  constructor(message: string) {
    super("worker", message);
  }
}

export type Answer = Exclude<WorkerAnswer, { type: "failed" }>;

/** A process that does one task with one compiler. */
export type WorkerProcess = Awaited<ReturnType<typeof startWorkerProcess>>;

const OWN_FOLDER = fileURLToPath(new URL("../../", import.meta.url));
const WORKER = fileURLToPath(new URL("./worker.ts", import.meta.url));
/** Node checks permissions of a link and of its target. npm may hoist packages beside this one. */
const READABLE = [
  OWN_FOLDER,
  path.join(OWN_FOLDER, "../package.json"),
  ...(createRequire(import.meta.url).resolve.paths("solc") ?? []),
]
  .filter((place) => existsSync(place))
  .flatMap((place) => [place, realpathSync(place)]);

/** Starts a process that has no environment and can read only this program and the compiler. Throws `VerificationError`. */
export async function startWorkerProcess(build: CompilerBuild) {
  const file = await realpath(build.file).catch((error) => {
    throw brokenCompiler(build, error);
  });
  const here = { ...build, file };
  const stack = `--stack-size=${await stackKilobytes()}`;
  const folder = await createWorkerFolder();
  const permissions = ["--permission", "--allow-worker"];
  // Node's permissions do not restrict an executable: it has the rights of this user.
  if (build.kind !== "soljson") permissions.push("--allow-child-process");
  const readable = [...READABLE, file].map((name) => `--allow-fs-read=${name}`);
  const child = fork(WORKER, [String(process.pid)], {
    execArgv: ["--no-warnings", stack, ...permissions, ...readable],
    cwd: folder,
    env: {},
    detached: true,
    serialization: "advanced",
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  try {
    await once(child, "spawn");
  } catch (error) {
    await removeWorkerFolder(folder);
    throw error;
  }
  // The callback of `send` handles a failed message.
  child.on("error", () => {});
  const isAlive = () => child.exitCode === null && child.signalCode === null;
  const send = (task: Task | { type: "prepare" }, { maxOutputBytes }: WorkerLimits) => {
    const message: WorkerTask = { ...task, build: here, maxOutputBytes };
    child.send(message, (error) => {
      if (error) killGroup(child);
    });
  };
  return {
    /** False after its end. */
    isAlive,
    /** Loads the compiler ahead of a task. */
    prepare: (limits: WorkerLimits) => send({ type: "prepare" }, limits),
    /** Runs the task; kills the process at a limit or an abort. Throws `VerificationError` with a cause, `WorkerError` without. */
    run: (task: Task, limits: WorkerLimits, signal?: AbortSignal) => {
      const answer = supervise(child, limits, signal);
      send(task, limits);
      return answer;
    },
    /** Kills it and removes its folder. */
    end: async () => {
      // An executable may have left children in its group.
      if (isAlive() || build.kind !== "soljson") killGroup(child);
      await removeWorkerFolder(folder);
    },
  };
}

/** Runs a task in a new process; see `WorkerProcess.run`. */
export async function runWorker(
  build: CompilerBuild,
  task: Task,
  limits: WorkerLimits,
  signal?: AbortSignal,
): Promise<Answer> {
  const worker = await startWorkerProcess(build);
  try {
    return await worker.run(task, limits, signal);
  } finally {
    await worker.end();
  }
}

const MEMORY_INTERVAL_MS = 250;
const MAX_STDERR_LENGTH = 2000;

function supervise(
  worker: ChildProcess,
  limits: WorkerLimits,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let expected: VerificationFailure | undefined;
    let bound: VerificationFailure | undefined;
    let compileTimer: NodeJS.Timeout | undefined;
    let stderr = "";

    const kill = () => killGroup(worker);
    const stopAt = (limit: "time" | "memory", text: string) => {
      bound = { code: "compiler-limit", limit, bound: text };
      kill();
    };
    const stopLate = (ms: number) => () => stopAt("time", `${Math.round(ms / 1000)} s`);
    const timer = setTimeout(stopLate(limits.timeoutMs), limits.timeoutMs);
    const memoryTimer = setInterval(() => {
      void residentBytes(worker.pid ?? 0).then((bytes) => {
        if (bytes > limits.memoryBytes) {
          stopAt("memory", `${Math.round(limits.memoryBytes / 2 ** 20)} MB`);
        }
      });
    }, MEMORY_INTERVAL_MS);
    signal?.addEventListener("abort", kill);
    if (signal?.aborted) kill();

    worker.stderr?.setEncoding("utf8").on("data", (text: string) => {
      stderr = (stderr + text).slice(-MAX_STDERR_LENGTH);
    });
    worker.on("message", (received) => {
      const message = received as WorkerReport | WorkerAnswer;
      clearTimeout(compileTimer);
      if (message.type === "compiling") {
        compileTimer = setTimeout(stopLate(limits.compileTimeoutMs), limits.compileTimeoutMs);
      } else if (message.type === "expect") expected = message.failure;
      else if (message.type !== "compiled") {
        settle();
        if (message.type === "failed") reject(new VerificationError(message.failure));
        else resolve(message);
      }
    });
    worker.on("close", (code, signalName) => {
      settle();
      const failure = expected ?? bound;
      if (signal?.aborted) reject(new WorkerError("stopped"));
      else if (failure !== undefined) reject(new VerificationError(failure));
      else reject(new WorkerError(`ended with ${signalName ?? `exit code ${code}`}: ${stderr}`));
    });

    function settle(): void {
      clearTimeout(timer);
      clearTimeout(compileTimer);
      clearInterval(memoryTimer);
      signal?.removeEventListener("abort", kill);
    }
  });
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch (error) {
    if (codeOf(error) !== "ESRCH") throw error;
  }
}
