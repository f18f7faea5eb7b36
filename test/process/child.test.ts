import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { type ChildOptions, isAlive, startChild } from "../../src/process/child.ts";

/** Runs a shell script as the child and collects its lines. */
function run(script: string, options: Partial<ChildOptions> = {}) {
  const lines: string[] = [];
  const ready = Promise.withResolvers<number>();
  const child = startChild({
    command: "/bin/sh",
    args: ["-c", script],
    stopSignal: "TERM",
    onLine: (line) => {
      lines.push(line);
      if (/^\d+$/.test(line)) ready.resolve(Number(line));
    },
    ...options,
  });
  return { child, lines, pid: ready.promise };
}

test("tells how the program ended, after its last line", async () => {
  const { child, lines } = run("echo one; echo two >&2; exit 7");
  expect(await child.exited).toBe("exit code 7");
  expect(lines.sort()).toEqual(["one", "two"]);
});

test("tells why a program cannot be started", async () => {
  const { child, lines } = run("", { command: "/nowhere/program" });
  expect(await child.exited).toBe("exit code 127");
  expect(lines.join()).toContain("/nowhere/program");
});

test("arguments reach the program as they are", async () => {
  const { child, lines } = run(`printf '%s\\n' "$0" "$1"`, {
    args: ["-c", `printf '%s\\n' "$0" "$1"`, "a 'b' $c", "*"],
  });
  await child.exited;
  expect(lines).toEqual(["a 'b' $c", "*"]);
});

test.each(["INT", "TERM"] as const)("asks the program to end by SIG%s", async (stopSignal) => {
  const script = `
    process.on("SIG${stopSignal}", () => process.stdout.write("asked\\n", () => process.exit(0)));
    process.stdout.write(process.pid + "\\n");
    setInterval(() => {}, 1000);`;
  const { child, lines, pid } = run("", {
    command: process.execPath,
    args: ["-e", script],
    stopSignal,
  });
  await pid;
  await child.stop(10_000);
  expect(await child.exited).toBe("exit code 0");
  expect(lines).toContain("asked");
});

test("kills a program that does not listen", async () => {
  const { child, pid } = run(`trap '' TERM; echo $$; while :; do sleep 0.05; done`);
  const number = await pid;
  await child.stop(200);
  await expect.poll(() => isAlive(number)).toBe(false);
});

test("an abort ends a start that is under way, and is nothing to a program that is up", async () => {
  const abort = new AbortController();
  const { child, pid } = run("echo $$; exec sleep 60");
  expect(await child.until(pid, abort.signal)).toBe(await pid);
  const waiting = run("echo $$; exec sleep 60");
  const never = waiting.child.until(new Promise<never>(() => {}), abort.signal);
  await waiting.pid;
  abort.abort();
  expect(await never).toBeUndefined();
  expect(isAlive(await pid)).toBe(true);
  await child.stop(10_000);
});

test("a program ends with the process that started it, whatever ended that", async () => {
  const script = `
    import { startChild } from "${import.meta.dirname}/../../src/process/child.ts";
    startChild({
      command: "/bin/sh", args: ["-c", "echo $$; exec sleep 60"], stopSignal: "TERM",
      onLine: (line) => { process.stdout.write(line); process.kill(process.pid, "SIGKILL"); },
    });`;
  let printed = "";
  try {
    execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  } catch (error) {
    printed = (error as { stdout: string }).stdout;
  }
  expect(printed).toMatch(/^\d+$/);
  await expect.poll(() => isAlive(Number(printed))).toBe(false);
});
