import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["*.test.ts"],
    maxWorkers: 1,
    testTimeout: 600_000,
    hookTimeout: 180_000,
  },
});
