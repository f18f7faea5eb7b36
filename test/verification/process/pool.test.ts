import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { CompilerBuild, CompilerKind } from "../../../src/verification/compilers/versions.ts";
import { createWorkerPool } from "../../../src/verification/process/pool.ts";
import { DEFAULT_LIMITS } from "../../../src/verification/process/worker-process.ts";

const VERSION = { type: "version" } as const;

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), "periscope-test-pool-"));
});

afterAll(() => rmSync(folder, { recursive: true }));

function buildOf(kind: CompilerKind, release: string, text: string): CompilerBuild {
  const file = path.join(folder, `${release}.js`);
  writeFileSync(file, text, { mode: 0o755 });
  return { kind, version: { release, prerelease: "", commit: "01234567" }, file };
}

/** A file that passes for a compiler in JavaScript, whose compiles do not end. */
function endless(release: string): CompilerBuild {
  return buildOf(
    "soljson",
    release,
    `module.exports = {
       HEAPU8: new Uint8Array(64),
       _malloc: () => 0,
       _solidity_version: () => 0,
       UTF8ToString: () => "${release}+commit.01234567",
       _solidity_compile: () => { for (;;); },
     };`,
  );
}

/** One that leaves so many files in its folder that the folder is not removed in a moment. */
function littering(release: string, log: string): CompilerBuild {
  return buildOf(
    "native",
    release,
    `#!/bin/sh
     i=0; while [ $i -lt 10000 ]; do : > $i; i=$((i+1)); done
     echo done >> ${log}
     echo "Version: ${release}+commit.01234567"`,
  );
}

test("a task gets the compiler it asks for, though another is made ready meanwhile", async () => {
  const pool = createWorkerPool(DEFAULT_LIMITS);
  onTestFinished(() => pool.close());
  const log = path.join(folder, "log");
  const [asked, other, waiting] = [endless("1.2.3"), endless("1.2.4"), littering("1.2.5", log)];
  const stopping = new AbortController();
  const { signal } = new AbortController();
  const compiling = pool.run(other, { type: "compile", input: "" }, stopping.signal);
  const stopped = expect(compiling).rejects.toMatchObject({ message: "stopped" });
  await pool.run(waiting, VERSION, signal);
  // By now the next process for this compiler has opened it, too.
  await expect.poll(() => readFileSync(log, "utf8")).toBe("done\ndone\n");
  const answer = pool.run(asked, VERSION, signal);
  stopping.abort();
  expect(await answer).toEqual({ ...VERSION, version: asked.version });
  await stopped;
});
