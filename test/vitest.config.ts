import { globSync } from "node:fs";
import path from "node:path";
import { configDefaults, defineConfig, type ViteUserConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { DEEP, MATCHING, PROCESSES } from "./deep/files.ts";

const root = path.join(import.meta.dirname, "..");
/** They need programs of their own, or minutes: docs/contributing.md, "Further suites". */
const furtherSuites = globSync("test/*/vitest.config.ts", { cwd: root }).map(
  (config) => `${path.dirname(config)}/**`,
);

const SMALL_AND_LONG = /\/(?:cases|reorg|heads|hostile-bodies|attacks|contracts-word)\.test\.ts$/;

/** In a fresh clone vitest begins with the largest files, and would end with the small ones that take long. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { long = [], other = [] } = Object.groupBy(await super.sort(files), ({ moduleId }) =>
      SMALL_AND_LONG.test(moduleId) ? "long" : "other",
    );
    return [...long, ...other];
  }
}

/** Settings of the ordinary suite and of those that run files of its tree. */
export const shared: ViteUserConfig = {
  test: {
    root,
    globalSetup: ["test/support/global-setup.ts"],
    sequence: { sequencer: LongFirst },
    // On two cores two more workers make up for what the other two wait.
    maxWorkers: 4,
    // The processes that tests start load what others compiled: 7 % less processor time for four files that start some.
    env: { NODE_COMPILE_CACHE: path.join(root, "node_modules/.cache/compiled") },
    testTimeout: 120_000,
    // A second, vitest's own patience, is not enough on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    hookTimeout: 120_000,
  },
};

export default defineConfig({
  test: {
    ...shared.test,
    include: ["test/**/*.test.ts"],
    exclude: [...configDefaults.exclude, ...furtherSuites, ...DEEP, ...MATCHING, ...PROCESSES],
  },
});
