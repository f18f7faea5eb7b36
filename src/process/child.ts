import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { sleep } from "../core/async.ts";
import { codeOf } from "../core/errors.ts";

/** An account of the operating system for a root process's child. */
export interface OsUser {
  uid: number;
  gid: number;
}

export interface ChildOptions {
  command: string;
  args: readonly string[];
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** The user of the child, instead of this process's. */
  user?: OsUser | undefined;
  /** The signal that asks it to end. */
  stopSignal: "INT" | "TERM";
  /** Called with every line of its output, from either stream. */
  onLine: (line: string) => void;
}

/** A program beside this process that never outlives it. */
export type Child = ReturnType<typeof startChild>;

const ABORT_PATIENCE_MS = 3_000;

/** Runs the program beside a watcher, which ends it by signal `$0` when this process closes its pipe or dies. */
const KEEPER = `
exec 3<&0
"$@" 3<&- &
child=$!
{ cat <&3; kill -s "$0" "$child"; } >/dev/null 2>&1 &
watcher=$!
exec 3<&-
wait "$child"
status=$?
kill "$watcher" 2>/dev/null
exit "$status"`;

/** Starts a program in a separate session, so that a Ctrl-C in the terminal reaches this process only. */
export function startChild(options: ChildOptions) {
  const { command, args, cwd, env, user, stopSignal, onLine } = options;
  const shell = spawn("/bin/sh", ["-c", KEEPER, stopSignal, command, ...args], {
    detached: true,
    stdio: "pipe",
    cwd,
    env,
    ...user,
  });
  for (const input of [shell.stdout, shell.stderr]) createInterface({ input }).on("line", onLine);
  const exited = once(shell, "close").then(
    ([code, signal]) => (signal === null ? `exit code ${code}` : `signal ${signal}`),
    (error: Error) => error.message,
  );

  /** Asks it to end, and kills it after `patienceMs`. Resolves when it has ended. */
  async function stop(patienceMs: number): Promise<void> {
    shell.stdin.destroy();
    const patience = new AbortController();
    const inTime = await Promise.race([
      exited.then(() => true),
      sleep(patienceMs, patience.signal),
    ]);
    patience.abort();
    if (!inTime && shell.pid !== undefined) process.kill(-shell.pid, "SIGKILL");
    await exited;
  }

  return {
    /** Resolves with the cause, such as `exit code 1`, when it has ended and its last line was read. */
    exited,
    stop,
    /** Waits for `ready`; undefined when the program ended first, which an abort causes. For a start only: later aborts have no effect. */
    until: async <Value>(ready: Promise<Value>, signal: AbortSignal | undefined) => {
      const abort = () => void stop(ABORT_PATIENCE_MS);
      if (signal?.aborted) abort();
      signal?.addEventListener("abort", abort, { once: true });
      const value = await Promise.race([ready, exited.then(() => undefined)]);
      signal?.removeEventListener("abort", abort);
      return value;
    },
  };
}

/** Returns whether a process with this id exists, under any owner. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}
