import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: new URL("../..", import.meta.url).pathname,
    include: ["test/storm/*.test.ts", "test/indexer/reorg/reorg.test.ts"],
    // The seeds that the ordinary suite leaves out.
    env: {
      REORG_SEED: process.env["REORG_SEED"] ?? "3",
      REORG_SEEDS: process.env["REORG_SEEDS"] ?? "48",
    },
    globalSetup: ["test/support/global-setup.ts"],
    // One at a time: each measures how quickly it is done.
    maxWorkers: 1,
    testTimeout: 600_000,
    hookTimeout: 120_000,
  },
});
