import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["*.test.ts"],
    globalSetup: ["../support/global-setup.ts"],
    testTimeout: 120_000,
    // The first run installs every release.
    hookTimeout: 1_800_000,
  },
});
