import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  createWorkerFolder,
  removeAbandonedFolders,
  removeWorkerFolder,
} from "../../../src/verification/process/machine.ts";

/** A folder as another process would have made it. */
function folderOf(pid: number, startedAt: number): string {
  const folder = path.join(os.tmpdir(), `periscope-compiler-${pid}-${startedAt}-abcdef`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "left behind"), "");
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const NO_PROCESS = 2 ** 22 + 1;

test("folders of processes that are gone are removed, also of one that had the number of this one", async () => {
  const own = await createWorkerFolder();
  const running = folderOf(process.ppid, 1);
  const gone = [folderOf(NO_PROCESS, 1), folderOf(process.pid, 1)];
  await removeAbandonedFolders();
  expect(gone.filter(existsSync)).toEqual([]);
  expect([own, running].filter(existsSync)).toEqual([own, running]);
  await removeWorkerFolder(own);
  expect(existsSync(own)).toBe(false);
});
