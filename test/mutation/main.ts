import { globSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createVitest, type Vitest } from "vitest/node";
import { type Mutant, mutantsOf } from "./mutants.ts";

// Removes or inverts branches and checks of the code one by one, and reports which of these changes
// no test of the folder detects: npm run test:mutation [-- src/store/lists/page.ts …]. Files are
// changed in place.

const ROOT = path.join(import.meta.dirname, "../..");
/** Code that its own tests must cover, and those tests. */
const SUITES: Readonly<Record<string, readonly string[]>> = {
  "src/indexer/checks/validate.ts": ["test/indexer/checks/validate.test.ts"],
  "src/indexer/checks/validate-traces.ts": ["test/indexer/checks/validate.test.ts"],
  "src/indexer/decode": ["test/indexer/decode.test.ts"],
  "src/api/explorer/from-node": [
    "test/api/explorer/from-node/transactions/earlier-blocks.test.ts",
    "test/api/explorer/from-node/transactions/mempool.test.ts",
    "test/api/explorer/from-node/merge.test.ts",
    "test/api/explorer/from-node/node-answers.test.ts",
    "test/api/explorer/from-node/reported-balances.test.ts",
    "test/api/explorer/from-node/transactions/revert-data.test.ts",
  ],
  "src/api/explorer/present": ["test/api/explorer/present"],
  "src/api/explorer/modules/stats": ["test/api/explorer/modules/stats"],
  "src/store/lists/page.ts": ["test/store/lists/page.test.ts"],
  "src/verification/engine/explain.ts": ["test/verification/engine/explain.test.ts"],
  "src/verification/engine/trial.ts": ["test/verification/engine/trial.test.ts"],
  "src/verification/match": ["test/verification/match"],
};

for (const [subject, suite] of Object.entries(SUITES)) await measure(subject, suite);

/** Measures the files of a subject that were asked for, all of them when none was. */
async function measure(subject: string, suite: readonly string[]): Promise<void> {
  const asked = process.argv.slice(2);
  const isFolder = statSync(path.join(ROOT, subject)).isDirectory();
  const files = (isFolder ? globSync(`${subject}/**/*.ts`, { cwd: ROOT }) : [subject]).filter(
    (file) => asked.length === 0 || asked.some((name) => file.startsWith(name)),
  );
  if (files.length === 0) return;
  const vitest = await createVitest("test", {
    config: path.join(ROOT, "test/vitest.config.ts"),
    watch: false,
    bail: 1,
    reporters: [{}],
  });
  try {
    await vitest.start([...suite]);
    if (!isPassed(vitest))
      throw new Error(`${suite.join(" ")} must pass before the code is changed`);
    let [killed, all] = [0, 0];
    for (const file of files.sort()) {
      for (const mutant of mutantsOf(readFileSync(path.join(ROOT, file), "utf8"))) {
        all++;
        if (await isNoticed(vitest, suite, file, mutant)) killed++;
        else say(`${file}:${mutant.line} lives: ${mutant.before}  ->  ${mutant.after}`);
      }
    }
    say(`${subject}: ${killed} of ${all} changes noticed, ${Math.round((100 * killed) / all)} %`);
  } finally {
    await vitest.close();
  }
}

async function isNoticed(
  vitest: Vitest,
  suite: readonly string[],
  file: string,
  { source }: Mutant,
): Promise<boolean> {
  const place = path.join(ROOT, file);
  const original = readFileSync(place, "utf8");
  const restore = () => writeFileSync(place, original);
  process.once("exit", restore);
  try {
    writeFileSync(place, source);
    vitest.invalidateFile(place);
    await vitest.rerunTestSpecifications(await vitest.globTestSpecifications([...suite]));
    return !isPassed(vitest);
  } finally {
    restore();
    vitest.invalidateFile(place);
    process.off("exit", restore);
  }
}

function isPassed({ state }: Vitest): boolean {
  return (
    state.getCountOfFailedTests() === 0 &&
    state.getUnhandledErrors().length === 0 &&
    state.getTestModules().every((module) => module.ok())
  );
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
