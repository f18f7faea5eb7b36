import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

// Takes checks and branches out of files one by one, and tells which of them no test misses:
// npm run test:mutation -- src/indexer/validate.ts [tests…]. A file's own test is the one that mirrors it.

/** What is done to one place of a line. */
interface Change {
  pattern: RegExp;
  replacement: string;
}

const CHANGES: readonly Change[] = [
  {
    pattern: /^(\s*)(?:check\.)?(?:demand|prefer|demandName|demandIndex)\(/,
    replacement: "$1void (",
  },
  { pattern: / === /, replacement: " !== " },
  { pattern: / !== /, replacement: " === " },
  { pattern: / >= /, replacement: " > " },
  { pattern: / <= /, replacement: " < " },
  { pattern: / > /, replacement: " <= " },
  { pattern: / < /, replacement: " >= " },
  { pattern: / && /, replacement: " || " },
  { pattern: / \|\| /, replacement: " && " },
  { pattern: /\bif \((.*)\)/, replacement: "if (false && ($1))" },
  { pattern: /^(\s*)case .*:$/, replacement: "$1case undefined as never:" },
];

interface Mutant {
  line: number;
  before: string;
  after: string;
}

function mutantsOf(source: string): Mutant[] {
  return source.split("\n").flatMap((before, line) =>
    /^\s*(?:\/?\*|\/\/|import|export (?:type|interface))|\): void;$/.test(before)
      ? []
      : CHANGES.filter(({ pattern }) => pattern.test(before)).map(({ pattern, replacement }) => ({
          line,
          before,
          after: before.replace(pattern, replacement),
        })),
  );
}

function testsPass(tests: readonly string[]): boolean {
  const args = ["vitest", "run", "--config", "test/vitest.config.ts", "--bail", "1", ...tests];
  return spawnSync("npx", ["--no-install", ...args], { timeout: 300_000 }).status === 0;
}

function mutate(file: string, tests: readonly string[]): void {
  const source = readFileSync(file, "utf8");
  const restore = () => writeFileSync(file, source);
  process.once("SIGINT", () => {
    restore();
    process.exit(1);
  });
  const mutants = mutantsOf(source);
  let survivors = 0;
  try {
    for (const { line, before, after } of mutants) {
      writeFileSync(file, source.split("\n").with(line, after).join("\n"));
      if (!testsPass(tests)) continue;
      survivors++;
      process.stdout.write(`${file}:${line + 1} lives: ${before.trim()}  ->  ${after.trim()}\n`);
    }
  } finally {
    restore();
  }
  const killed = mutants.length - survivors;
  process.stdout.write(`${file}: ${killed} of ${mutants.length} changes were noticed\n`);
}

const files = process.argv.slice(2).filter((name) => name.startsWith("src/"));
const given = process.argv.slice(2).filter((name) => name.startsWith("test/"));
for (const file of files) {
  const own = path.join("test", path.relative("src", file)).replace(/\.ts$/, ".test.ts");
  const tests = given.length > 0 ? given : [own];
  if (tests.every((test) => existsSync(test)) && testsPass(tests)) mutate(file, tests);
  else process.stdout.write(`${file}: name tests that pass\n`);
}
