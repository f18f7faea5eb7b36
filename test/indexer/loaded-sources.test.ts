import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const WORKER = path.join(import.meta.dirname, "../../src/indexer/thread/worker.ts");
/** Every chain's thread keeps the text of all libraries that it loads, and their functions as they are used. */
const MOST_BYTES = 1_050_000;

/** Outside of a thread the entry fails at once, but only when everything is loaded. */
const COUNT = `
import { registerHooks } from "node:module";
let bytes = 0;
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (url.includes("/node_modules/")) bytes += Buffer.byteLength(loaded.source ?? "");
    return loaded;
  },
});
await import(${JSON.stringify(WORKER)}).catch(() => {});
process.stdout.write(String(bytes));`;

test("a chain's thread loads no more of libraries than it needs", async () => {
  const args = ["--input-type=module", "--eval", COUNT];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const bytes = Number(stdout);
  expect(bytes).toBeGreaterThan(500_000);
  expect(bytes).toBeLessThan(MOST_BYTES);
});

/** The thread evaluates what it loads at once: Node crashes where the process ends while a module of it awaits. */
const REQUIRE = `
import { createRequire } from "node:module";
try {
  createRequire(${JSON.stringify(WORKER)})(${JSON.stringify(WORKER)});
} catch ({ code, name }) {
  process.stdout.write(code ?? name);
}`;

test("nothing that a chain's thread loads awaits at its top level", async () => {
  const args = ["--input-type=module", "--eval", REQUIRE];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(stdout).toBe("TypeError");
});
