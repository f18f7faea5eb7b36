import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["*.test.ts"],
    globalSetup: ["../support/global-setup.ts"],
    testTimeout: 1_200_000,
    hookTimeout: 180_000,
  },
});
