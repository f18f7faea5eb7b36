import { execFileSync } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import type { SoftwareVersion } from "../../src/core/software-version.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const IDENTITY = ["-c", "user.name=t", "-c", "user.email=t@example.org"];

describe("the version of the software", () => {
  let folder: string;

  /** A copy of the program's root with the one file that asks. */
  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "periscope-version-"));
    await mkdir(path.join(folder, "src/core"), { recursive: true });
    for (const file of ["package.json", "src/core/software-version.ts"]) {
      await cp(path.join(ROOT, file), path.join(folder, file));
    }
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  function read(): SoftwareVersion {
    const program = `import { softwareVersion } from "./src/core/software-version.ts";
      process.stdout.write(JSON.stringify(softwareVersion()))`;
    const args = ["--input-type=module", "-e", program];
    return JSON.parse(execFileSync(process.execPath, args, { cwd: folder, encoding: "utf8" }));
  }

  test("has no commit where neither git nor a build names one", () => {
    expect(read()).toEqual({ version: manifest.version, commit: null });
  });

  test("has the commit that the build wrote, and none from an empty file", async () => {
    await mkdir(path.join(folder, "dist"));
    await writeFile(path.join(folder, "dist/commit"), "\n");
    expect(read().commit).toBeNull();
    await writeFile(path.join(folder, "dist/commit"), `${"c0".repeat(20)}\n`);
    expect(read().commit).toBe("c0".repeat(20));
  });

  test("has the commit of the clone rather than that of an earlier build", () => {
    const git = (...args: string[]) =>
      execFileSync("git", [...IDENTITY, ...args], { cwd: folder, encoding: "utf8" });
    git("init", "-q");
    expect(read().commit).toBeNull();
    git("commit", "-q", "--allow-empty", "-m", "one");
    expect(read().commit).toBe(git("rev-parse", "HEAD").trim());
  });
});
