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

const SMALL_AND_LONG =
  /\/(?:audit|consecutive-transfers|contracts-word|differential|examples|first-load|jobs|list-file|lying-node|row-types|second-node|sync)\.test\.ts$/;

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
    // On two cores three more workers make up for what tests wait: with two more a quarter of the processors was idle.
    maxWorkers: 5,
    // The processes that tests start load what others compiled: 7 % less processor time for four files that start some.
    env: { NODE_COMPILE_CACHE: path.join(root, "node_modules/.cache/compiled") },
    testTimeout: 120_000,
    // A second, vitest's own patience, is not enough on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    hookTimeout: 120_000,
  },
};

/** Files that leave something behind in their process, or replace modules; the others share processes, and the loaded modules in these. */
const ALONE = [
  "test/api/explorer/from-node/node-answers.test.ts",
  "test/api/explorer/modules/stats/stats.test.ts",
  "test/contract/caller-gate.test.ts",
  "test/db/{driver,tls}.test.ts",
];
const ELSEWHERE = [...configDefaults.exclude, ...furtherSuites, ...DEEP, ...MATCHING, ...PROCESSES];

/** Settings of each project. The others are the run's: one PostgreSQL server for all. */
const { globalSetup: _server, sequence: _order, maxWorkers: _workers, ...each } = shared.test ?? {};

function project(name: string, include: string[], without: string[], isolate = true) {
  return { test: { ...each, name, include, exclude: [...ELSEWHERE, ...without], isolate } };
}

export default defineConfig({
  test: {
    ...shared.test,
    projects: [
      project("together", ["test/**/*.test.ts"], ALONE, false),
      project("alone", ALONE, []),
    ],
  },
});
