import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { benchApi } from "./api.ts";
import type { Bench } from "./bench.ts";
import { benchChains } from "./chains.ts";
import { benchFlaky } from "./flaky.ts";
import { benchFlood } from "./flood.ts";
import { benchIndexing } from "./indexing.ts";
import { startDatabaseServer } from "./measure/database.ts";
import { type Comparison, formatReport, type Section } from "./measure/report.ts";
import { benchProofs } from "./proofs.ts";
import { benchScale } from "./scale.ts";
import { benchTokens } from "./tokens.ts";
import { benchVerification } from "./verification.ts";

const HELP = `Usage: npm run bench -- [indexing] [flaky] [proofs] [api] [verification] [flood] [chains] [tokens] [options]
       npm run bench -- scale [options]     several database servers; needs Citus

  --quick         small sizes, to see that everything works
  --blocks <n>    length of the chains
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
  const reports: (Section | Comparison)[] = [];
  const server = await startDatabaseServer(path.join(folder, "postgres"));
  const bench: Bench = {
    server,
    folder,
    quick: values.quick,
    profile: values.profile,
    say: (text) => process.stderr.write(`${text} …\n`),
    report: (report) => {
      reports.push(report);
      process.stdout.write(`${formatReport(report)}\n`);
    },
  };
  try {
    const blocks = values.blocks === undefined ? undefined : Number(values.blocks);
    const isAsked = (name: string) => positionals.length === 0 || positionals.includes(name);
    if (isAsked("indexing")) await benchIndexing(bench, blocks);
    if (isAsked("flaky")) await benchFlaky(bench, blocks);
    if (isAsked("proofs")) await benchProofs(bench, blocks);
    if (isAsked("api")) await benchApi(bench, blocks);
    if (isAsked("verification")) await benchVerification(bench);
    if (isAsked("flood")) await benchFlood(bench);
    if (isAsked("chains")) await benchChains(bench);
    if (isAsked("tokens")) await benchTokens(bench);
    if (positionals.includes("scale")) await benchScale(bench, blocks);
    if (values.json !== undefined) {
      await writeFile(
        values.json,
        JSON.stringify({ machine: machine(server.version), reports }, null, 2),
      );
    }
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function machine(postgres: string): object {
  return {
    cpu: os.cpus()[0]?.model,
    cores: os.cpus().length,
    memoryBytes: os.totalmem(),
    node: process.version,
    postgres,
  };
}
