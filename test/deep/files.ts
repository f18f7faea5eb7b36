// Files of the ordinary tree that take long, by the suite that runs them: `npm run test:matching` and `npm run test:deep`.

/** Files with compiles: verified cases, refused ones, and the limits of a compiler's process. */
export const MATCHING: readonly string[] = [
  "test/kit/kit.test.ts",
  "test/verification/attacks/*.test.ts",
  "test/verification/cases.test.ts",
  "test/verification/jobs/on-chain-facts.test.ts",
  "test/verification/process/worker-process.test.ts",
  "test/verification/proxies/proxies.test.ts",
  "test/verification/vyper.test.ts",
];

/** They draw acts and requests at random, and compare each outcome with the oracle, or reorganise many chains. */
export const DEEP: readonly string[] = [
  "test/api/serving/heads.test.ts",
  "test/contract/random-requests.test.ts",
  "test/hostile-bodies.test.ts",
  "test/indexer/odd-chains.test.ts",
  "test/indexer/odd-tokens.test.ts",
  "test/indexer/reorg/rolled-back.test.ts",
  "test/indexer/reorg/state-after-reorg.test.ts",
  "test/several-chains.test.ts",
  "test/store/index-keys.test.ts",
];
