import { isRecord } from "../../core/record.ts";
import { type CompilerInput, refuse } from "../inputs/compiler-input.ts";
import type { SourceFile } from "../request.ts";

/**
 * The files of a compile that belong to a contract, in the order they were sent: those that the compiler's metadata
 * names; without metadata (vyper, solc before 0.4.7) those that the main file may import. Other files are compiled too,
 * since they may change the code, but they are not proven. Throws `VerificationError` of code `invalid-json` when a
 * file that belongs to it has a path out of the project.
 */
export function keptSources(
  { language, sources }: CompilerInput,
  mainPath: string,
  metadata: string,
): SourceFile[] {
  const named = language === "Solidity" ? namedIn(metadata) : undefined;
  const kept = named ?? importedFrom(mainPath, sources);
  const files = [...sources].filter(([path]) => kept.has(path));
  for (const [path] of files) {
    if (!isWithin(path)) refuse(`The path ${path} must be relative and without "..".`);
  }
  return files.map(([path, text]) => ({ path, text }));
}

function namedIn(metadata: string): ReadonlySet<string> | undefined {
  if (metadata === "") return undefined;
  const parsed: unknown = JSON.parse(metadata);
  const sources = isRecord(parsed) ? parsed["sources"] : undefined;
  return isRecord(sources) ? new Set(Object.keys(sources)) : undefined;
}

/** Whether a file of that path stays within the folder it is written to. */
function isWithin(path: string): boolean {
  return !/^(?:[\\/]|[a-z]:)/i.test(path) && !path.split(/[\\/]/).includes("..");
}

/** Import statements of Solidity (with a string) and vyper (dotted names). A match in a comment does no harm. */
const IMPORT_STATEMENT = /\b(?:import|from|implements|uses|initializes|exports)\b[^;\n]{1,1000}/g;
const WORD = /[^\s"'.,:()/\\]+/g;

/** Files whose names are in an import of a reached file: perhaps too many, never too few. */
function importedFrom(mainPath: string, sources: ReadonlyMap<string, string>): ReadonlySet<string> {
  const reached = new Set([mainPath]);
  for (const path of reached) {
    const words = new Set<string>();
    for (const [statement] of (sources.get(path) ?? "").matchAll(IMPORT_STATEMENT)) {
      for (const [word] of statement.matchAll(WORD)) words.add(word);
    }
    for (const other of sources.keys()) if (words.has(nameOf(other))) reached.add(other);
  }
  return reached;
}

/** `IERC20` of `interfaces/IERC20.vyi`. */
function nameOf(path: string): string {
  const file = path.slice(path.lastIndexOf("/") + 1);
  return file.replace(/\.[^.]*$/, "");
}
