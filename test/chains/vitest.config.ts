import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: new URL("../..", import.meta.url).pathname,
    include: ["test/chains/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts"],
    maxWorkers: 1,
    testTimeout: 1_200_000,
    hookTimeout: 300_000,
  },
});
