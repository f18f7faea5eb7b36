import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: new URL("../..", import.meta.url).pathname,
    include: ["test/odd-tokens/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts"],
    maxWorkers: 1,
    testTimeout: 7_200_000,
    hookTimeout: 120_000,
  },
});
