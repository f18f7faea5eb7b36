import { type CodeMatch, hasOtherMetadata, isMatch, type Mismatch } from "./code/code-match.ts";
import type { ContractMatch } from "./contract-match.ts";

/** The result of the comparison of the codes. */
export interface Levels {
  runtime: CodeMatch | null;
  creation: CodeMatch | null;
  /** The compiled constructor ran, with any arguments. */
  isConstructorCompared: boolean;
  /** Another constructor ran: only a run of the compiled one shows whether it would leave the same code. */
  needsTrial: boolean;
}

/** Returns a match's levels. Where one code differs, the other is partial at most: constructors can return anything. */
export function levelsOf({ runtime, creation }: ContractMatch, isBlueprint: boolean): Levels {
  const isOther = hasOtherMetadata(runtime) || (creation !== null && hasOtherMetadata(creation));
  const matchIn = (code: CodeMatch | Mismatch | null): CodeMatch | null => {
    if (code === null || !isMatch(code)) return null;
    return isOther ? partial(code) : code;
  };
  const levels = { runtime: matchIn(runtime), creation: matchIn(creation) };
  // A blueprint's constructor has not run: the created code holds it.
  if (creation === null || isBlueprint) {
    return { ...levels, isConstructorCompared: false, needsTrial: false };
  }
  const isConstructorCompared = isMatch(creation) || creation.kind === "constructor-arguments";
  if (levels.runtime !== null && !isConstructorCompared) {
    return { ...levels, runtime: partial(levels.runtime), isConstructorCompared, needsTrial: true };
  }
  if (levels.runtime === null && levels.creation !== null) {
    levels.creation = partial(levels.creation);
  }
  return { ...levels, isConstructorCompared, needsTrial: false };
}

function partial(match: CodeMatch): CodeMatch {
  return { ...match, quality: "partial" };
}
