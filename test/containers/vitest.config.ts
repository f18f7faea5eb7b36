import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["*.test.ts"],
    testTimeout: 300_000,
    hookTimeout: 1_200_000,
    expect: { poll: { timeout: 120_000, interval: 500 } },
  },
});
