import { constants, getPriority, setPriority } from "node:os";
import { Worker } from "node:worker_threads";
import { type Compiler, openCompiler } from "../compilers/compiler.ts";
import type { CompilerBuild } from "../compilers/versions.ts";
import type { VerifiedSource } from "../engine/verified-source.ts";
import { type VerifyTask, verify } from "../engine/verify.ts";
import { VerificationError, type VerificationFailure } from "../errors.ts";

// Entry of a job's process: it receives a task, sends an answer and ends.

/** Task of a worker process for its compiler. */
export type Task =
  | { type: "version" }
  | { type: "compile"; input: string }
  | ({ type: "verify" } & Omit<VerifyTask, "build">);

/** A task; or `prepare`, which loads the compiler ahead and has no answer. */
export type WorkerTask = (Task | { type: "prepare" }) & {
  build: CompilerBuild;
  maxOutputBytes: number;
};

/** Progress of a task: a compile began or ended, or the failure to report if the process is stopped now. */
export type WorkerReport =
  | { type: "compiling" }
  | { type: "compiled" }
  | { type: "expect"; failure: VerificationFailure };

/** The answer to a task. */
export type WorkerAnswer =
  | { type: "version"; version: CompilerBuild["version"] }
  | { type: "output"; output: string }
  | { type: "verified"; source: VerifiedSource }
  | { type: "failed"; failure: VerificationFailure };

const NICENESS = 5;

// A compile blocks the main thread. This thread ends the process after its parent, whose id is the argument.
const WATCH = `
const { workerData } = require("node:worker_threads");
setInterval(() => { if (process.ppid !== workerData) process.kill(-process.pid, "SIGKILL"); }, 500);`;
new Worker(WATCH, { eval: true, workerData: Number(process.argv[2]) }).unref();

// A compile must not slow the API down.
setPriority(Math.min(getPriority() + NICENESS, constants.priority.PRIORITY_LOW));

let prepared: Promise<Compiler> | undefined;

process.on("message", (task: WorkerTask) => {
  if (task.type === "prepare") {
    prepared = openCompiler(task.build, task.maxOutputBytes);
    // The task reports the failure.
    prepared.catch(() => {});
    return;
  }
  void answer(task).then((message) => {
    process.send?.(message, () => process.disconnect());
  });
});

async function answer(task: Task & Pick<WorkerTask, "build" | "maxOutputBytes">) {
  const open = () => openReporting(task);
  try {
    switch (task.type) {
      case "version":
        return { type: "version", version: (await open()).version };
      case "compile":
        return { type: "output", output: await (await open()).compile(task.input) };
      case "verify": {
        const onFailure = (failure: VerificationFailure) => report({ type: "expect", failure });
        return { type: "verified", source: await verify(task, { open, onFailure }) };
      }
    }
  } catch (error) {
    if (error instanceof VerificationError) return { type: "failed", failure: error.failure };
    throw error;
  }
}

async function openReporting(task: Pick<WorkerTask, "build" | "maxOutputBytes">) {
  const compiler = await (prepared ?? openCompiler(task.build, task.maxOutputBytes));
  return {
    ...compiler,
    compile: async (input: string) => {
      report({ type: "compiling" });
      try {
        return await compiler.compile(input);
      } finally {
        report({ type: "compiled" });
      }
    },
  };
}

function report(message: WorkerReport): void {
  process.send?.(message);
}
