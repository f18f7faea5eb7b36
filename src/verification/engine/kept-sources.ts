import type { SourceFile } from "../../store/contracts/verified/verified-contract.ts";
import type { CompilerInput, FurtherInput } from "../compilers/input.ts";
import { refuse } from "../inputs/compiler-input.ts";
import { interfaceFiles } from "../inputs/standard-json.ts";
import { importedFrom } from "./imported-files.ts";
import { filesIn } from "./metadata-text.ts";

/**
 * Returns the contract's files as sent: those in the metadata, without it those that the main file may import; `further` are other
 * keys of the input. Throws `VerificationError` of code `invalid-json` for a misplaced file.
 */
export function keptSources(
  { language, sources, rest }: CompilerInput,
  mainPath: string,
  metadata: string,
): { sources: SourceFile[]; further: FurtherInput } {
  const named = language === "Solidity" ? filesIn(metadata) : undefined;
  const interfaces = interfaceFiles(rest["interfaces"]);
  const texts = new Map([...interfaces.map(({ path, text }) => [path, text] as const), ...sources]);
  const kept = named ?? importedFrom(mainPath, language, texts);
  const placed = new Map<string, string>();
  for (const [path, text] of texts) {
    if (!kept.has(path)) continue;
    const place = placeOf(path);
    if (place === undefined)
      refuse(`The path ${path} leads out of the project, and to no source file.`);
    if ((placed.get(place) ?? text) !== text) refuse(`${place} occurs twice.`);
    placed.set(place, text);
  }
  const further = Object.entries(rest).map(([key, values]) => {
    // Vyper applies layout overrides only to the compiled file.
    const belonging = Object.entries(values).filter(([path]) =>
      key === "interfaces" ? kept.has(path) : path === mainPath,
    );
    return [key, Object.fromEntries(belonging)] as const;
  });
  return {
    sources: [...sources].flatMap(([path, text]) => (kept.has(path) ? [{ path, text }] : [])),
    further: Object.fromEntries(further.filter(([, values]) => Object.keys(values).length > 0)),
  };
}

const OUTSIDE = /^(?:[a-z]:|(?:\.[\\/])*(?:\.\.)?[\\/])/i;
/** Root prefix of a path: nothing, for a path that begins with `/`, or a drive. */
const ROOT = /^(?:[a-z]:.*)?$/i;
/** Writing such a file to its path overwrites only a source. */
const SOURCE_FILE = /\.(?:sol|vyi?)$/;

/**
 * Returns the file at a path relative to a project folder, by its name alone: equal texts may have
 * different characters. Build tools use absolute paths (Truffle) or `..` (Foundry in a workspace,
 * which may have another version of a package than the project) for files outside, and remappings
 * pass through folders. Undefined for other files outside the folder, and for paths that leave it
 * after a name.
 */
function placeOf(path: string): string | undefined {
  const names = path.normalize("NFKC").split(/[\\/]/);
  const steps = names
    .map((name) => name.trim())
    .filter((name, index) => name !== "." && (name !== "" || index === 0));
  const place: string[] = [];
  let fixed = 0;
  let isBehindName = false;
  for (const step of steps) {
    if (step === ".." && isBehindName) {
      if (place.length === fixed) return undefined;
      place.pop();
      continue;
    }
    if (step === ".." || (!isBehindName && ROOT.test(step))) fixed++;
    isBehindName ||= step !== "..";
    place.push(step);
  }
  return OUTSIDE.test(path) && !SOURCE_FILE.test(path) ? undefined : place.join("/");
}
