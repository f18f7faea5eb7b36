import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: new URL("../..", import.meta.url).pathname,
    include: ["test/storm/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts"],
    // One at a time: each measures how quickly it is done.
    maxWorkers: 1,
    testTimeout: 600_000,
    hookTimeout: 120_000,
  },
});
