import { isRecord } from "../../core/json/record.ts";
import type { CompilerInput, Settings } from "../compilers/input.ts";
import { compareReleases } from "../compilers/versions.ts";
import { VerificationError, type VerificationFailure } from "../errors.ts";
import { without } from "../inputs/compiler-input.ts";
import { metadataSettings } from "../inputs/single-file.ts";
import { isMatch, type Mismatch } from "../match/code/code-match.ts";
import { qualityOf, rankOf } from "../match/contract-match.ts";
import { type CodeMetadata, readCodeMetadata } from "../match/metadata/metadata.ts";
import { type Attempt, attemptOnce, type Candidate, type Session } from "./attempt.ts";

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

const DEFAULT_RUNS = 200;
const COMMON_RUNS = [200, 1, 1000, 10_000, 999_999, 1_000_000, 100, 500, 800];
/** Settings of the metadata that change the codes of contracts within a code; at its end others are a partial match. */
const METADATA = ["appendCBOR", "bytecodeHash"];
const VIA_IR_SINCE = "0.8.13";
/** With the first release that had it as default or supported it. */
const EVM_VERSIONS: readonly (readonly [name: string, since: string])[] = [
  ["paris", "0.8.18"],
  ["shanghai", "0.8.20"],
  ["cancun", "0.8.24"],
  ["london", "0.8.7"],
  ["istanbul", "0.5.14"],
  ["prague", "0.8.27"],
  ["osaka", "0.8.31"],
  ["berlin", "0.8.2"],
  ["byzantium", "0.4.21"],
  ["petersburg", "0.5.5"],
  ["constantinople", "0.4.21"],
];

/** Looks for one changed setting that matches, within `budgetMs`, best with equal metadata. Returns a hint; verifies nothing. */
export async function diagnoseSettings(session: Session, failed: Attempt, budgetMs: number) {
  const { input } = failed;
  const [closest] = failed.candidates;
  if (input.language === "Vyper" || closest === undefined) return undefined;
  const namesake = await findNamesake(session, input);
  if (namesake !== undefined) return `It matches with the contract ${namesake}.`;
  const target = { path: closest.path, name: closest.name };
  const end = performance.now() + budgetMs;
  let found: string | undefined;
  const { release } = session.compiler.version;
  const onChain = readCodeMetadata(session.onChain.runtimeCode);
  for (const { settings, words } of changes(input, release, onChain)) {
    const started = performance.now();
    const [best] = (await tryOnce(session, { ...input, settings, target }))?.candidates ?? [];
    const quality = best ? qualityOf(best.match) : null;
    if (quality !== null) found ??= words;
    if (quality === "full") found = words;
    // The next compile takes about as long.
    const now = performance.now();
    if (quality === "full" || now + (now - started) > end) break;
  }
  return found && `It matches with ${found}.`;
}

/** Compiles for other EVM versions within `budgetMs` and yields each match: metadata distinguishes several. */
export async function* attemptEvmVersions(
  session: Session,
  { input, candidates: [closest] }: Attempt,
  budgetMs: number,
): AsyncGenerator<Attempt> {
  const end = performance.now() + budgetMs;
  const target =
    input.language !== "Vyper" && closest
      ? { path: closest.path, name: closest.name }
      : input.target;
  for (const { settings } of evmVersions(input, session.compiler.version.release)) {
    const started = performance.now();
    const tried = await tryOnce(session, { ...input, settings, target });
    if (tried?.candidates[0] && rankOf(tried.candidates[0].match) > 0) yield tried;
    const now = performance.now();
    if (now + (now - started) > end) break;
  }
}

/** As `attemptOnce`; undefined where it is refused. */
function tryOnce(session: Session, input: CompilerInput) {
  return attemptOnce(session, input).catch((error: unknown) => {
    if (!(error instanceof VerificationError)) throw error;
  });
}

/** Returns the contract of the same name in another file that is the one on chain, as `path:Name`. */
async function findNamesake(session: Session, input: CompilerInput): Promise<string | undefined> {
  const { path, name } = input.target;
  if (path === null || name === null || input.sources.size === 1) return undefined;
  const other = { ...input, target: { path: null, name } };
  const [best] = (await tryOnce(session, other))?.candidates ?? [];
  return best && rankOf(best.match) > 0 ? `${best.path}:${best.name}` : undefined;
}

function* changes(
  { settings }: CompilerInput,
  release: string,
  onChain: CodeMetadata | null,
): Generator<{ settings: Settings; words: string }> {
  const metadata = isRecord(settings["metadata"]) ? settings["metadata"] : {};
  const actual = metadataSettings(release, onChain);
  if (METADATA.some((key) => metadata[key] !== actual[key])) {
    const kind = onChain?.hash?.kind ?? "none";
    yield {
      settings: { ...settings, metadata: { ...without(metadata, METADATA), ...actual } },
      words: onChain === null ? "appendCBOR false" : `the metadata hash ${kind}`,
    };
  }
  const optimizer = isRecord(settings["optimizer"]) ? settings["optimizer"] : {};
  const enabled = optimizer["enabled"] === true;
  const runs = Number(optimizer["runs"] ?? DEFAULT_RUNS);
  const optimized = (value: number) => ({ ...optimizer, enabled: true, runs: value });
  if (enabled) {
    const off = { ...optimizer, enabled: false };
    yield { settings: { ...settings, optimizer: off }, words: "the optimizer off" };
  } else {
    yield {
      settings: { ...settings, optimizer: optimized(runs) },
      words: `the optimizer on and ${runs} runs`,
    };
  }
  if (compareReleases(release, VIA_IR_SINCE) >= 0) {
    const viaIR = settings["viaIR"] !== true;
    yield { settings: { ...settings, viaIR }, words: viaIR ? "viaIR on" : "viaIR off" };
  }
  for (const other of COMMON_RUNS) {
    if (other === runs) continue;
    const words = enabled ? `${other} optimizer runs` : `the optimizer on and ${other} runs`;
    yield { settings: { ...settings, optimizer: optimized(other) }, words };
  }
  yield* evmVersions({ settings, language: "Solidity" }, release);
}

function* evmVersions(
  { settings, language }: Pick<CompilerInput, "settings" | "language">,
  release: string,
): Generator<{ settings: Settings; words: string }> {
  for (const [evmVersion, since] of EVM_VERSIONS) {
    const isKnown = language === "Vyper" || compareReleases(release, since) >= 0;
    if (evmVersion === settings["evmVersion"] || !isKnown) continue;
    yield { settings: { ...settings, evmVersion }, words: `the EVM version ${evmVersion}` };
  }
}
