import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["*.test.ts"],
    globalSetup: ["../support/global-setup.ts"],
    testTimeout: 60_000,
    // The first time, cargo compiles some two hundred crates, which takes minutes.
    hookTimeout: 1_800_000,
  },
});
