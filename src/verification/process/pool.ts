import type { CompilerBuild } from "../compilers/versions.ts";
import type { Task } from "./worker.ts";
import { startWorkerProcess, type WorkerLimits, type WorkerProcess } from "./worker-process.ts";

/** Worker processes, one per task. The next one is prepared with the same compiler: loading takes longer than most compiles. */
export type WorkerPool = ReturnType<typeof createWorkerPool>;

/** A prepared process takes some 150 MB. */
const IDLE_MS = 60_000;

/** Creates a pool; starts nothing before the first task. */
export function createWorkerPool(limits: WorkerLimits) {
  let standby: { file: string; worker: Promise<WorkerProcess>; timer: NodeJS.Timeout } | undefined;
  let isClosed = false;

  function prepare(build: CompilerBuild): void {
    if (isClosed || standby !== undefined) return;
    const worker = startWorkerProcess(build);
    const timer = setTimeout(() => void dismiss(), IDLE_MS);
    worker.then((started) => started.prepare(limits)).catch(() => {});
    standby = { file: build.file, worker, timer };
  }

  /** Takes the prepared process, if there is one. */
  function take(): typeof standby {
    const taken = standby;
    clearTimeout(taken?.timer);
    standby = undefined;
    return taken;
  }

  async function dismiss(): Promise<void> {
    const worker = await take()?.worker.catch(() => undefined);
    await worker?.end();
  }

  async function start(build: CompilerBuild): Promise<WorkerProcess> {
    // Taken before the first wait: another task may prepare another process meanwhile.
    const waiting = take();
    const ready = await waiting?.worker.catch(() => undefined);
    if (waiting?.file === build.file && ready?.isAlive()) return ready;
    await ready?.end();
    return startWorkerProcess(build);
  }

  return {
    /** See `WorkerProcess.run`. */
    run: async (build: CompilerBuild, task: Task, signal: AbortSignal) => {
      const worker = await start(build);
      try {
        return await worker.run(task, limits, signal);
      } finally {
        await worker.end();
        prepare(build);
      }
    },
    close: async () => {
      isClosed = true;
      await dismiss();
    },
  };
}
