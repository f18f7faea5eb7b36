import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { ConfigError } from "../../src/core/errors.ts";
import { lockFolder } from "../../src/process/folder-lock.ts";

const root = mkdtempSync(path.join(os.tmpdir(), "periscope-lock-"));
const folder = path.join(root, "made", "when missing");

afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Takes the lock of a folder in another process and lets that process end by `how`; its standard output. */
function lockElsewhere(how: string, locked = folder): string {
  const module = path.join(import.meta.dirname, "../../src/process/folder-lock.ts");
  const script = `
    import { lockFolder } from ${JSON.stringify(module)};
    try {
      lockFolder(${JSON.stringify(locked)});
      process.stdout.write("taken");
    } catch (error) {
      process.stdout.write(error.message);
    }
    ${how}`;
  try {
    return execFileSync(process.execPath, ["--input-type=module", "-e", script], {
      encoding: "utf8",
      timeout: 20_000,
    });
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

test("a folder belongs to one process at a time, which is named", () => {
  const unlock = lockFolder(folder);
  expect(lockElsewhere("")).toContain(`running already in ${folder} (process ${process.pid})`);
  unlock();
  expect(lockElsewhere("")).toBe("taken");
});

test("the folder of a process that was killed is free", () => {
  expect(lockElsewhere('process.kill(process.pid, "SIGKILL");')).toBe("taken");
  lockFolder(folder)();
});

test("a place where nothing can be written is refused", () => {
  const file = path.join(root, "file");
  writeFileSync(file, "");
  expect(() => lockFolder(path.join(file, "folder"))).toThrow(ConfigError);
});

test("a lock that cannot be taken for another reason is not taken for a running process", () => {
  const broken = path.join(root, "broken");
  mkdirSync(broken);
  writeFileSync(path.join(broken, "lock"), "no database ".repeat(100));
  expect(() => lockFolder(broken)).toThrow(
    `DATA_DIR must be a folder that this user can write to, unlike ${broken}: file is not`,
  );
  const taken = path.join(root, "taken");
  mkdirSync(path.join(taken, "owner.pid"), { recursive: true });
  expect(() => lockFolder(taken)).toThrow(ConfigError);
});

test.runIf(process.platform === "linux")("a folder that cannot be is refused", () => {
  expect(lockElsewhere("", "/proc/periscope/data")).toContain(
    "DATA_DIR must be a folder that this user can write to, unlike /proc/periscope/data: there is none",
  );
});
