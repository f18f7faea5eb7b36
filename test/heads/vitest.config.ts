import { defineConfig } from "vitest/config";

// npm run test:heads: a quarter of an hour on two cores; needs nothing but what npm installs.
export default defineConfig({
  test: {
    root: new URL("../..", import.meta.url).pathname,
    include: ["test/heads/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts"],
    testTimeout: 4 * 3_600_000,
    hookTimeout: 120_000,
  },
});
