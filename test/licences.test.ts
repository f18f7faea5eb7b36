import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";

interface Manifest {
  license?: string;
  /** The form of packages from before 2015. */
  licenses?: { type: string }[];
}

const ROOT = path.join(import.meta.dirname, "..");
/** MPL-2.0 asks for the source of changes to its own files; they are used unchanged. */
const PERMISSIVE = new Set([
  "MPL-2.0",
  "MIT",
  "ISC",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "0BSD",
  "Unlicense",
]);

test("every package that the program runs with may be passed on freely", async () => {
  const lock = JSON.parse(await readFile(path.join(ROOT, "package-lock.json"), "utf8")) as {
    packages: Record<string, { dev?: boolean }>;
  };
  const places = Object.entries(lock.packages).filter(([place, { dev }]) => place !== "" && !dev);
  let known = 0;
  for (const [place] of places) {
    const manifest = path.join(ROOT, place, "package.json");
    // Packages of other platforms are not installed here.
    const text = await readFile(manifest, "utf8").catch(() => null);
    if (text === null) continue;
    const { license, licenses } = JSON.parse(text) as Manifest;
    const names = (license ?? licenses?.[0]?.type ?? "").replace(/[()]/g, "").split(" OR ");
    expect([place, names.some((name) => PERMISSIVE.has(name))]).toEqual([place, true]);
    known++;
  }
  expect(known).toBeGreaterThan(60);
});
