import { configDefaults, defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: new URL("..", import.meta.url).pathname,
    include: ["test/**/*.test.ts"],
    // These need an installation of their own: npm run test:clients.
    exclude: [...configDefaults.exclude, "test/clients/**"],
    globalSetup: ["test/support/global-setup.ts"],
    // Two cores: more workers than that only make the real parts (PostgreSQL, anvil) slower.
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
