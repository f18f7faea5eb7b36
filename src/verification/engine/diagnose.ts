import { isRecord } from "../../core/json/record.ts";
import type { MatchQuality } from "../../store/contracts/verified/verified-contract.ts";
import type { CompilerInput, Settings } from "../compilers/input.ts";
import { compareReleases } from "../compilers/versions.ts";
import { VerificationError } from "../errors.ts";
import { without } from "../inputs/compiler-input.ts";
import { metadataSettings } from "../inputs/flattened.ts";
import { qualityOf, rankOf } from "../match/contract-match.ts";
import { type CodeMetadata, readCodeMetadata } from "../match/metadata/metadata.ts";
import { type Attempt, attemptOnce, type Session } from "./attempt.ts";

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
export async function diagnoseSettings(
  session: Session,
  failed: Attempt,
  budgetMs: number,
): Promise<string | undefined> {
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
    const quality = await qualityWith(session, { ...input, settings, target });
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
    const tried = await attemptOnce(session, { ...input, settings, target }).catch(ignoreRefusal);
    if (tried?.candidates[0] && rankOf(tried.candidates[0].match) > 0) yield tried;
    const now = performance.now();
    if (now + (now - started) > end) break;
  }
}

function ignoreRefusal(error: unknown): undefined {
  if (!(error instanceof VerificationError)) throw error;
}

/** Returns the contract of the same name in another file that is the one on chain, as `path:Name`. */
async function findNamesake(session: Session, input: CompilerInput): Promise<string | undefined> {
  const { path, name } = input.target;
  if (path === null || name === null || input.sources.size === 1) return undefined;
  const other = { ...input, target: { path: null, name } };
  const [best] = (await attemptOnce(session, other).catch(ignoreRefusal))?.candidates ?? [];
  return best && rankOf(best.match) > 0 ? `${best.path}:${best.name}` : undefined;
}

async function qualityWith(session: Session, input: CompilerInput): Promise<MatchQuality | null> {
  const [best] = (await attemptOnce(session, input).catch(ignoreRefusal))?.candidates ?? [];
  return best === undefined ? null : qualityOf(best.match);
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
