// Files of the ordinary tree that take long, by the suite that runs them: `npm run test:matching`, `test:processes` and
// `test:deep`.

/** Files with compiles: verified cases, refused ones, and the limits of a compiler's process. */
export const MATCHING: readonly string[] = [
  "test/kit/kit.test.ts",
  "test/verification/attacks/*.test.ts",
  "test/verification/cases.test.ts",
  "test/verification/compilers/source-hashes.test.ts",
  "test/verification/engine/immutables.test.ts",
  "test/verification/engine/trees.test.ts",
  "test/verification/jobs/on-chain-facts.test.ts",
  "test/verification/openzeppelin.test.ts",
  "test/verification/process/pool.test.ts",
  "test/verification/process/worker-process.test.ts",
  "test/verification/proxies/proxies.test.ts",
  "test/verification/vyper.test.ts",
];

/** They start, end and kill programs: Periscope, PostgreSQL, compilers. `test/examples.test.ts` starts it in the ordinary suite. */
export const PROCESSES: readonly string[] = [
  "test/announce.test.ts",
  "test/composition/chain-set.test.ts",
  "test/container.test.ts",
  "test/database-loss.test.ts",
  "test/db/embedded/embedded.test.ts",
  "test/devnet/*.test.ts",
  "test/egress.test.ts",
  "test/indexer/crash.test.ts",
  "test/indexer/lost-commits.test.ts",
  "test/main.test.ts",
  "test/package.test.ts",
  "test/replica.test.ts",
  "test/roles.test.ts",
  "test/rolling-update.test.ts",
  "test/secrets.test.ts",
  "test/shared-chains.test.ts",
  "test/verification/crash.test.ts",
];

/** They draw acts and requests at random, and compare each outcome with the oracle, or reorganise many chains. */
export const DEEP: readonly string[] = [
  "test/api/explorer/from-node/hostile-tokens.test.ts",
  "test/api/reading/large-answers.test.ts",
  "test/api/serving/heads.test.ts",
  "test/contract/random-requests.test.ts",
  "test/hostile-bodies.test.ts",
  "test/indexer/earlier-release.test.ts",
  "test/indexer/flaky-node.test.ts",
  "test/indexer/hostile-contracts.test.ts",
  "test/indexer/large-traces.test.ts",
  "test/indexer/odd-chains.test.ts",
  "test/indexer/odd-tokens.test.ts",
  "test/indexer/proof/anvil.test.ts",
  "test/indexer/published-state.test.ts",
  "test/indexer/reorg/rolled-back.test.ts",
  "test/indexer/reorg/state-after-reorg.test.ts",
  "test/several-chains.test.ts",
  "test/store/index-keys.test.ts",
  "test/support-tests/compare.test.ts",
  "test/support-tests/oracle.test.ts",
];

/** The ordinary suite runs the first cases of their matrices (`firstCases`), the deep one all. */
export const MATRICES: readonly string[] = [
  "test/api/differential.test.ts",
  "test/api/explorer/code-without-creation.test.ts",
  "test/api/explorer/rolled-back.test.ts",
  "test/indexer/checks/lying-node.test.ts",
  "test/indexer/maintenance/fee-payments.test.ts",
  "test/tokens/contracts-word.test.ts",
];
