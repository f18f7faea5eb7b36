import { globSync } from "node:fs";
import path from "node:path";
import { configDefaults, defineConfig } from "vitest/config";

const root = path.join(import.meta.dirname, "..");
/** They need programs of their own, or minutes: docs/contributing.md, "Further suites". */
const furtherSuites = globSync("test/*/vitest.config.ts", { cwd: root }).map(
  (config) => `${path.dirname(config)}/**`,
);

export default defineConfig({
  test: {
    root,
    include: ["test/**/*.test.ts"],
    exclude: [...configDefaults.exclude, ...furtherSuites],
    globalSetup: ["test/support/global-setup.ts"],
    // On two cores a third worker makes up for what the other two wait: 771 seconds instead of 930.
    maxWorkers: 3,
    testTimeout: 120_000,
    // A second, vitest's own patience, is not enough on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    hookTimeout: 120_000,
  },
});
