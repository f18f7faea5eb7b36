import type { GivenLibrary } from "../request.ts";

export type CompilerLanguage = "Solidity" | "Yul" | "Vyper";

/** What every form of a request becomes: sources and settings of one compile, and the wanted contract. */
export interface CompilerInput {
  language: CompilerLanguage;
  /** Text by path. A map, since any text is a legal path. */
  sources: ReadonlyMap<string, string>;
  /** As sent, without what does not change the code (`knownSettings`). */
  settings: Settings;
  /** Further keys of vyper's standard JSON, each with values by file: `interfaces`, `storage_layout_overrides`. */
  rest: FurtherInput;
  target: Target;
  /** Addresses that must be those on chain. */
  libraries: readonly GivenLibrary[];
  /** Paths the file may have had where it was compiled first; only for a flattened source. */
  possiblePaths: readonly string[];
}

export type FurtherInput = Readonly<Record<string, Settings>>;

export type Settings = Readonly<Record<string, unknown>>;

/** Null: not named. */
export interface Target {
  path: string | null;
  name: string | null;
}

/** Whether Yul may have instructions of its author's own, which know nothing of the compiler's around them. */
export function hasVerbatim({ sources }: Pick<CompilerInput, "sources">): boolean {
  return [...sources.values()].some((text) => text.includes("verbatim"));
}
