import { Worker } from "node:worker_threads";
import type { CompilerBuild } from "./compilers/build.ts";
import { type Compiler, openCompiler } from "./compilers/compiler.ts";
import { VerificationError, type VerificationFailure } from "./errors.ts";
import type { VerifiedSource } from "./verified-source.ts";
import { type VerifyTask, verify } from "./verify.ts";

// Entry of the process that one job gets: a task comes in, an answer goes out, the process ends.

/** What a worker process is asked to do. */
export type WorkerTask = { maxOutputBytes: number } & (
  | { type: "version"; build: CompilerBuild }
  | { type: "compile"; build: CompilerBuild; input: string }
  | ({ type: "verify" } & VerifyTask)
);

/** What it says meanwhile: a compile began or ended, a failure it would end with if it were stopped now. */
export type WorkerReport =
  | { type: "compiling" }
  | { type: "compiled" }
  | { type: "expect"; failure: VerificationFailure };

/** What it ends with. */
export type WorkerAnswer =
  | { type: "version"; version: CompilerBuild["version"] }
  | { type: "output"; output: string }
  | { type: "verified"; source: VerifiedSource }
  | { type: "failed"; failure: VerificationFailure };

// A process deep in a compile notices nothing. This thread does, and lets it not outlive the one it works for, whose
// number is its argument: by now it may be gone already.
const WATCH = `
const { workerData } = require("node:worker_threads");
setInterval(() => { if (process.ppid !== workerData) process.kill(-process.pid, "SIGKILL"); }, 500);`;
new Worker(WATCH, { eval: true, workerData: Number(process.argv[2]) }).unref();

process.once("message", (task: WorkerTask) => {
  void answer(task).then((message) => {
    process.send?.(message, () => process.disconnect());
  });
});

async function answer(task: WorkerTask): Promise<WorkerAnswer> {
  const open = (build: CompilerBuild) => openReporting(build, task.maxOutputBytes);
  try {
    switch (task.type) {
      case "version":
        return { type: "version", version: (await open(task.build)).version };
      case "compile":
        return { type: "output", output: await (await open(task.build)).compile(task.input) };
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

async function openReporting(build: CompilerBuild, maxOutputBytes: number): Promise<Compiler> {
  const compiler = await openCompiler(build, maxOutputBytes);
  return {
    ...compiler,
    compile: async (input) => {
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
