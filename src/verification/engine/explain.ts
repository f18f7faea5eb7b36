import type { VerificationFailure } from "../errors.ts";
import { isMatch, type Mismatch } from "../match/code/code-match.ts";
import type { Attempt, Candidate } from "./attempt.ts";

/** Explains a mismatch by the closest candidate. `isVersionSure`: the code on chain names its compiler. */
export function explain(
  { input, candidates, abstract, names }: Attempt,
  isVersionSure: boolean,
): VerificationFailure {
  const [closest] = [...candidates].sort((left, right) => closeness(right) - closeness(left));
  if (closest !== undefined) return explainMismatch(closest, isVersionSure);
  const [name] = abstract;
  if (name !== undefined) return { code: "abstract-contract", name };
  const { path, name: wanted } = input.target;
  return {
    code: "contract-name",
    requested: [path, wanted].filter((part) => part !== null).join(":") || "contract",
    available: names.map((found) => `${found.path}:${found.name}`),
  };
}

/** Returns how far the code on chain was explained: up to the first different byte. */
function closeness({ match }: Candidate): number {
  const outcomes = [match.runtime, match.creation].filter((code) => code !== null);
  return Math.max(...outcomes.map((outcome) => (isMatch(outcome) ? 0 : explained(outcome))));
}

function explained(mismatch: Mismatch): number {
  switch (mismatch.kind) {
    case "bytes":
      return 1 + mismatch.offset;
    case "empty":
    case "length":
      return 0;
    default:
      // Only one kind of value differs.
      return Number.MAX_SAFE_INTEGER;
  }
}

function explainMismatch(
  { match, name, contract }: Candidate,
  isVersionSure: boolean,
): VerificationFailure {
  const { runtime, creation } = match;
  if (creation !== null && !isMatch(creation) && creation.kind === "constructor-arguments") {
    if (creation.fault === "different") return WRONG_ARGUMENTS;
    if (creation.fault === "malformed") return { code: "constructor-arguments-unknown" };
  }
  const isOfRuntime = !isMatch(runtime) && (runtime.kind !== "empty" || creation === null);
  const mismatch = isOfRuntime ? runtime : creation;
  if (mismatch === null || isMatch(mismatch)) return { code: "bytecode", detail: "" };
  const version = isVersionSure ? "" : "the compiler version, ";
  const { length } = contract[isOfRuntime ? "runtime" : "creation"].bytes;
  return { code: "bytecode", detail: words(mismatch, name, length, version) };
}

/** The request's arguments differ from the creation's. */
export const WRONG_ARGUMENTS: VerificationFailure = {
  code: "constructor-arguments",
  detail: "The creation code ends in others than the request names.",
};

function words(mismatch: Mismatch, name: string, size: number, version: string): string {
  switch (mismatch.kind) {
    case "length":
      return `${name} compiles to ${mismatch.compiled} bytes, ${mismatch.onChain} are on chain: look at ${version}the optimizer, its runs, viaIR and the EVM version.`;
    case "bytes":
      return mismatch.metadataEqual
        ? `The metadata fits, but the code of ${name} parts at byte ${mismatch.offset}: send the complete standard JSON, unused files included.`
        : `The code of ${name} parts at byte ${mismatch.offset} of ${size}: look at ${version}the source, the optimizer, its runs, viaIR and the EVM version.`;
    case "library":
      return `The code on chain holds different addresses for the library ${mismatch.name}.`;
    case "immutable":
      return "The code on chain holds different values for one immutable variable.";
    case "call-protection":
      return "The library on chain holds another address than its own.";
    case "runs-on":
      return `The creation code of ${name} might run the data behind it, so that nothing is proven. This is so with verbatim, with setimmutable where solc gives no runtime code, before solc 0.6, and where the code does not stop at its end.`;
    case "empty":
      return `The compiler gives no runtime code of ${name}: solc does so only for a Yul object that holds one other object. Without it the creation code on chain must be known, and it is not; with traces it would be.`;
    case "constructor-arguments":
      return `${name} takes no constructor arguments, but there is something behind its creation code.`;
  }
}
