import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["*.test.ts"],
    globalSetup: ["../support/global-setup.ts"],
    testTimeout: 120_000,
    hookTimeout: 600_000,
  },
});
