import { readdir, readFile } from "node:fs/promises";
import type { Profiler, Runtime } from "node:inspector";
import path from "node:path";
import type { Section } from "./report.ts";

const FUNCTIONS = 25;

/** Where the CPU time went: for each profile of a folder the functions that took most of it themselves. */
export async function profileSections(folder: string): Promise<Section[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith(".cpuprofile")).sort();
  return Promise.all(
    files.map(async (name) => {
      const profile = JSON.parse(await readFile(path.join(folder, name), "utf8"));
      return sectionOf(name, profile as Profiler.Profile);
    }),
  );
}

function sectionOf(title: string, { nodes, samples, timeDeltas }: Profiler.Profile): Section {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const milliseconds = new Map<string, number>();
  for (const [index, id] of (samples ?? []).entries()) {
    const name = names.get(id) ?? "?";
    const elapsed = (timeDeltas?.[index] ?? 0) / 1_000;
    milliseconds.set(name, (milliseconds.get(name) ?? 0) + elapsed);
  }
  const longest = [...milliseconds].sort(([, a], [, b]) => b - a).slice(0, FUNCTIONS);
  return {
    title: `CPU profile ${title}`,
    figures: longest.map(([name, value]) => ({ name, value, unit: "ms" })),
  };
}

function nameOf({ functionName, url, lineNumber }: Runtime.CallFrame): string {
  const place = url === "" ? "" : ` ${url.split("/").slice(-2).join("/")}:${lineNumber + 1}`;
  return `${functionName || "(anonymous)"}${place}`;
}
