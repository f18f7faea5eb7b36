import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, utimes } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ConfigError } from "../../src/core/errors.ts";
import { prepareTemporaryFolder } from "../../src/process/temporary-folder.ts";

const run = promisify(execFile);
const isRoot = process.getuid?.() === 0;
let base: string;
const warnings: unknown[] = [];
const log = { warn: (...words: unknown[]) => void warnings.push(...words) };

beforeAll(async () => {
  base = await mkdtemp(path.join(os.tmpdir(), "periscope-temporary-"));
});
afterAll(() => rm(base, { recursive: true, force: true }));

test("lies below the data, and removes what a replaced machine left behind a day ago", async () => {
  const old = path.join(base, "tmp/replaced");
  const current = path.join(base, "tmp/neighbour");
  await mkdir(path.join(old, "periscope-compiler-1"), { recursive: true });
  await mkdir(current);
  const yesterday = Date.now() / 1000 - 90_000;
  await utimes(old, yesterday, yesterday);
  const folder = await prepareTemporaryFolder(base, log);
  expect(folder).toBe(path.join(base, "tmp", os.hostname()));
  expect(await readdir(folder)).toEqual([]);
  expect((await readdir(path.join(base, "tmp"))).sort()).toEqual(
    ["neighbour", os.hostname()].sort(),
  );
  expect(warnings).toEqual([]);
});

test("names DATA_DIR where it cannot be written", async () => {
  await expect(prepareTemporaryFolder("/proc/nothing", log)).rejects.toThrow(ConfigError);
  await expect(prepareTemporaryFolder("/proc/nothing", log)).rejects.toThrow(/^DATA_DIR must be/);
});

test.runIf(isRoot)("warns where no program runs (a mount, which only root can make)", async () => {
  const mounted = path.join(base, "noexec");
  await mkdir(mounted);
  await run("mount", ["-t", "tmpfs", "-o", "noexec,size=1m", "none", mounted]);
  try {
    await prepareTemporaryFolder(mounted, log);
    expect(String(warnings)).toMatch(/noexec: Vyper .* mount it without noexec/);
  } finally {
    await run("umount", [mounted]);
  }
});
