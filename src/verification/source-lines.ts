import type { SourceFile } from "../store/contracts/verified/verified-contract.ts";
import { instructionsIn } from "./match/code/instructions.ts";

/** A line of a verified source, counted from 1. */
export interface SourceLine {
  path: string;
  line: number;
  text: string;
}

const LONGEST_TEXT = 500;

/**
 * Returns the source line of the first counter that solc's source map assigns to a file: instructions
 * that the compiler adds have no file. The keys of `files` are their numbers in the map.
 */
export function lineAt(
  counters: readonly number[],
  code: Buffer,
  sourceMap: string,
  files: ReadonlyMap<number, SourceFile>,
): SourceLine | undefined {
  const { offsets } = instructionsIn(code, sourceMap);
  let last: readonly number[] = [];
  // `start:length:file:…`; an absent part repeats that of the previous entry.
  const entries = sourceMap.split(";").map((entry) => {
    const parts = entry.split(":");
    last = [0, 1, 2].map((part) => (parts[part] ? Number(parts[part]) : (last[part] ?? 0)));
    return last;
  });
  for (const counter of counters) {
    const [start = 0, , number = -1] = entries[offsets.indexOf(counter)] ?? [];
    const file = files.get(number);
    if (!file) continue;
    // The map counts bytes.
    const line = Buffer.from(file.text).subarray(0, start).toString().split("\n").length;
    const text = file.text.split("\n")[line - 1] ?? "";
    return { path: file.path, line, text: text.trim().slice(0, LONGEST_TEXT) };
  }
  return undefined;
}
