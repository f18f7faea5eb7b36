import { isRecord } from "../../core/record.ts";
import { type CompilerInput, type FurtherInput, refuse } from "../inputs/compiler-input.ts";
import { interfaceFiles } from "../inputs/standard-json.ts";
import type { SourceFile } from "../request.ts";

/**
 * The files of a compile that belong to a contract, in the order they were sent: those that the compiler's metadata
 * names; without metadata (vyper, solc before 0.4.7) those that the main file may import. `further` is what the other keys
 * of the input say of such files. Other files are compiled too, since they may change the code, but they are not proven.
 * Throws `VerificationError` of code `invalid-json` when a file that belongs to it has a path out of the project.
 */
export function keptSources(
  { language, sources, rest }: CompilerInput,
  mainPath: string,
  metadata: string,
): { sources: SourceFile[]; further: FurtherInput } {
  const named = language === "Solidity" ? filesIn(metadata) : undefined;
  const interfaces = interfaceFiles(rest["interfaces"]);
  const texts = new Map([...interfaces.map(({ path, text }) => [path, text] as const), ...sources]);
  const kept = named ?? importedFrom(mainPath, texts);
  for (const path of texts.keys()) {
    if (kept.has(path) && !isWithin(path)) {
      refuse(`The path ${path} must be relative and without "..".`);
    }
  }
  const further = Object.entries(rest).map(([key, values]) => {
    const belonging = Object.entries(values).filter(([path]) => kept.has(path));
    return [key, Object.fromEntries(belonging)] as const;
  });
  return {
    sources: [...sources].flatMap(([path, text]) => (kept.has(path) ? [{ path, text }] : [])),
    further: Object.fromEntries(further.filter(([, values]) => Object.keys(values).length > 0)),
  };
}

/** The files that solc's metadata of a contract names: its own, and all that this one imports. Undefined without metadata. */
export function filesIn(metadata: string): ReadonlySet<string> | undefined {
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
