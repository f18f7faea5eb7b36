import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import type { Bench } from "./bench.ts";
import { benchIndexing } from "./indexing.ts";
import { startDatabaseServer } from "./measure/database.ts";
import { formatSection, type Section } from "./measure/report.ts";

const HELP = `Usage: npm run bench -- [indexing] [options]

  --quick         small sizes, to see that everything works
  --blocks <n>    length of the chain to be indexed
  --profile       CPU profiles of Periscope, and the functions that took most time
  --json <file>   write the figures there, too
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: "boolean", default: false },
    blocks: { type: "string" },
    profile: { type: "boolean", default: false },
    json: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

if (values.help) process.stdout.write(HELP);
else await run();

async function run(): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "periscope-bench-"));
  const sections: Section[] = [];
  const server = await startDatabaseServer(path.join(folder, "postgres"));
  const bench: Bench = {
    server,
    folder,
    quick: values.quick,
    profile: values.profile,
    say: (text) => process.stderr.write(`${text} …\n`),
    report: (section) => {
      sections.push(section);
      process.stdout.write(`${formatSection(section)}\n`);
    },
  };
  try {
    const blocks = values.blocks === undefined ? undefined : Number(values.blocks);
    if (positionals.length === 0 || positionals.includes("indexing")) {
      await benchIndexing(bench, blocks);
    }
    if (values.json !== undefined) {
      await writeFile(values.json, JSON.stringify({ machine: machine(), sections }, null, 2));
    }
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function machine(): object {
  return {
    cpu: os.cpus()[0]?.model,
    cores: os.cpus().length,
    memoryBytes: os.totalmem(),
    node: process.version,
    postgres: "",
  };
}
