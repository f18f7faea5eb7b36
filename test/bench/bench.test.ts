import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import type { Comparison, Section } from "./measure/report.ts";

const run = promisify(execFile);
const MAIN = path.join(import.meta.dirname, "main.ts");
const TIMEOUT_MS = 300_000;

it(
  "measures indexing and the API with small sizes",
  async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), "periscope-bench-test-"));
    const file = path.join(folder, "figures.json");
    try {
      const { stdout } = await run(process.execPath, [
        MAIN,
        ...["indexing", "api", "--quick", "--json", file],
      ]);
      const { reports } = JSON.parse(await readFile(file, "utf8")) as {
        reports: (Section | Comparison)[];
      };
      expect(reports.map(({ title }) => title)).toEqual([
        "Backfill of 12 blocks without traces",
        "Backfill of 12 blocks with traces",
        "From a block at the node to the block in the API",
        "The database that is asked",
        "Answers over HTTP beside their SQL",
        "Pages of txlist, medians",
        "Asked over 32 connections at once",
        "While 20 clients take files",
        "While 12 blocks are indexed",
        "Memory",
      ]);
      for (const report of reports) {
        expect(stdout).toContain(`### ${report.title}`);
        expect(valuesOf(report).every((value) => value >= 0)).toBe(true);
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
  TIMEOUT_MS,
);

function valuesOf(report: Section | Comparison): number[] {
  return "figures" in report
    ? report.figures.map(({ value }) => value)
    : report.rows.flatMap(({ values }) => values);
}
