import { defineConfig } from "vitest/config";

/** Tests of the ordinary suite that run here on several servers. */
const SHARED = [
  "test/indexer/reorg/reorg.test.ts",
  "test/indexer/maintenance/audit.test.ts",
  "test/indexer/maintenance/fee-payments.test.ts",
  "test/indexer/odd-tokens.test.ts",
  "test/indexer/consecutive-transfers.test.ts",
  "test/indexer/state/families.test.ts",
  "test/api/differential.test.ts",
  "test/api/reading/one-state.test.ts",
  "test/contract/random-requests.test.ts",
  "test/store/lists/large-pages.test.ts",
  "test/store/lists/transactions.test.ts",
  "test/api/explorer/before-byzantium.test.ts",
  "test/api/explorer/modules/logs/getLogs.test.ts",
  "test/api/explorer/modules/account/transactions.test.ts",
  "test/api/explorer/modules/account/tokens/token-transfers.test.ts",
  "test/api/explorer/modules/account/holdings.test.ts",
];

export default defineConfig({
  test: {
    root: new URL("../..", import.meta.url).pathname,
    include: ["test/scale/*.test.ts", ...SHARED],
    globalSetup: ["test/scale/global-setup.ts"],
    env: { REORG_SEEDS: process.env["REORG_SEEDS"] ?? "50" },
    maxWorkers: 1,
    testTimeout: 1_200_000,
    hookTimeout: 300_000,
  },
});
