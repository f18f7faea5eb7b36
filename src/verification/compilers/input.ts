import type { GivenLibrary } from "../request.ts";

export type CompilerLanguage = "Solidity" | "Yul" | "Vyper";

/** The common form of a request: sources and settings of one compile, and the wanted contract. */
export interface CompilerInput {
  language: CompilerLanguage;
  sources: ReadonlyMap<string, string>;
  /** As sent, without settings that do not change the code (`knownSettings`). */
  settings: Settings;
  /** Further keys of vyper's standard JSON, each with values by file: `interfaces`, `storage_layout_overrides`. */
  rest: FurtherInput;
  target: Target;
  /** Addresses required on chain. */
  libraries: readonly GivenLibrary[];
  /** Possible original paths of the file; only for a flattened source. */
  possiblePaths: readonly string[];
}

export type FurtherInput = Readonly<Record<string, Settings>>;

export type Settings = Readonly<Record<string, unknown>>;

/** Parts that most requests lack. */
export const NOTHING_FURTHER = { rest: {}, libraries: [], possiblePaths: [] };

/** Null: not named. */
export interface Target {
  path: string | null;
  name: string | null;
}

/** Returns whether Yul may contain its author's own instructions (`verbatim`). */
export function hasVerbatim({ sources }: Pick<CompilerInput, "sources">): boolean {
  return [...sources.values()].some((text) => text.includes("verbatim"));
}
