import { isDeepStrictEqual } from "node:util";
import { isAddress } from "../../core/evm/address.ts";
import { type Hex, hexToBytes, isHexData } from "../../core/evm/hex.ts";
import { isRecord } from "../../core/json/record.ts";
import type { Compiler } from "../compilers/compiler.ts";
import type { CompilerInput } from "../compilers/input.ts";
import { type CompilerBuild, type CompilerVersion, formatVersion } from "../compilers/versions.ts";
import { VerificationError, type VerificationFailure } from "../errors.ts";
import { evmVersionSetting, without, writesMetadata } from "../inputs/compiler-input.ts";
import { readInput } from "../inputs/read.ts";
import { isMatch } from "../match/code/code-match.ts";
import { initCodeOfBlueprint } from "../match/code/instructions.ts";
import { type OnChainCode, qualityOf, rankOf } from "../match/contract-match.ts";
import {
  type CodeMetadata,
  findVyperVersions,
  type MetadataHashKind,
  readCodeMetadata,
} from "../match/metadata/metadata.ts";
import { findSourceVariant, type SourceVariant, textVariants } from "../match/metadata/variants.ts";
import type { VerificationRequest } from "../request.ts";
import { type Attempt, attempt, type Candidate, readMetadata, type Session } from "./attempt.ts";
import { attemptEvmVersions, diagnoseSettings, explain, WRONG_ARGUMENTS } from "./explain.ts";
import { readImmutables } from "./immutables.ts";
import { givenAddresses } from "./kept-sources.ts";
import { trialOf } from "./trial.ts";
import { describeContract } from "./verified-source.ts";

/** Input of a verification. */
export interface VerifyTask {
  /** A `VerificationRequest` as JSON. */
  request: string;
  build: CompilerBuild;
  runtimeCode: Hex;
  /** Init code of the creation, arguments included; null when the creation is unknown. */
  creationCode: Hex | null;
  /** Time limit of the search for a wrong setting after a mismatch. */
  diagnosisMs: number;
}

/** Callbacks of a verification into its process. */
export interface VerifyHooks {
  open(build: CompilerBuild): Promise<Compiler>;
  /** Called with a failure before the search for its cause, during which the process may be stopped. */
  onFailure(failure: VerificationFailure): void;
}

/** Compiles a request and compares it with the chain, blocking its process. Throws `VerificationError`. */
export async function verify(task: VerifyTask, { open, onFailure }: VerifyHooks) {
  const { build } = task;
  const request = JSON.parse(task.request, withoutByteOrderMark) as VerificationRequest;
  const onChain: OnChainCode = {
    address: request.address,
    runtimeCode: hexToBytes(task.runtimeCode),
    creationCode: task.creationCode && hexToBytes(task.creationCode),
  };
  const ending = readCodeMetadata(onChain.runtimeCode);
  const input = readInput(request, build.version, ending);
  const metadata = writesMetadata(input) ? ending : null;
  checkVersion(build, onChain, metadata);
  const compiler = await open(build);
  const session: Session = {
    compiler,
    onChain,
    given: givenArguments(request.constructorArguments),
  };
  const first = await attempt(session, input);
  const raised = await findMatch(session, request, first, task.diagnosisMs);
  if (raised === undefined) {
    const failure = explain(first, metadata?.solc != null);
    onFailure(failure);
    if (failure.code !== "bytecode") throw new VerificationError(failure);
    const hint =
      wrongLibrary(session, first) ?? (await diagnoseSettings(session, first, task.diagnosisMs));
    const detail = hint === undefined ? failure.detail : `${failure.detail} ${hint}`;
    throw new VerificationError({ ...failure, detail });
  }
  const values = await readImmutables(session, raised.input, raised.candidate);
  const trial = await trialOf(session, raised.input, raised.candidate, values);
  const { version } = compiler;
  return describeContract({ request, version, onChain, values, trial, ...raised });
}

/** A compile and its contract that is the one on chain. */
interface Match {
  input: CompilerInput;
  candidate: Candidate;
}

/** Returns the best match, raised to full if possible, else for other EVM versions when none is named. Throws `VerificationError`. */
async function findMatch(
  session: Session,
  request: VerificationRequest,
  first: Attempt,
  budgetMs: number,
): Promise<Match | undefined> {
  const matched = async (tried: Attempt): Promise<Match | undefined> => {
    const found = tried.candidates.find(({ match }) => rankOf(match) > 0);
    if (found === undefined) return undefined;
    checkArguments(session, found);
    checkLibraries(tried.input, found);
    return raise(session, tried, found);
  };
  let best = await matched(first);
  if (best !== undefined || !isEvmVersionOpen(request)) return best;
  for await (const tried of attemptEvmVersions(session, first, budgetMs)) {
    const match = await matched(tried);
    best ??= match;
    if (match && qualityOf(match.candidate.match) === "full") return match;
  }
  return best;
}

/** Returns whether the request leaves the EVM version to the compiler: the deployer may have chosen one. */
function isEvmVersionOpen(request: VerificationRequest): boolean {
  return (
    (request.format === "flattened" || request.format === "vyper") &&
    Object.keys(evmVersionSetting(request.evmVersion)).length === 0
  );
}

/** Removes a byte order mark, which some editors add and no compiler accepts. */
function withoutByteOrderMark(_key: string, value: unknown): unknown {
  return typeof value === "string" ? value.replace(/^\ufeff/, "") : value;
}

/** Refuses a compiler other than the one named in the code on chain, before any compile. */
function checkVersion(
  { kind, version }: CompilerBuild,
  onChain: OnChainCode,
  metadata: CodeMetadata | null,
): void {
  // Vyper has its version only in creation code: its runtime code may contain other contracts'.
  const creation = onChain.creationCode ?? initCodeOfBlueprint(onChain.runtimeCode);
  const named =
    kind === "vyper"
      ? findVyperVersions(creation ?? Buffer.alloc(0))
      : [metadata?.solc].filter((solc) => solc != null);
  const [first] = named;
  if (first === undefined || named.some((name) => name === nameInCode(version, name))) return;
  throw new VerificationError({
    code: "compiler-version",
    requested: `v${formatVersion(version)}`,
    onChain: first,
  });
}

/** Returns the version in code: three numbers for a release, the long version with the build for a pre-release. */
function nameInCode(version: CompilerVersion, named: string): string {
  if (version.prerelease === "" || !named.includes("-")) return version.release;
  const long = formatVersion(version);
  return named.startsWith(long) ? named : long;
}

function givenArguments(text: string | undefined): Buffer | null {
  const digits = (text ?? "").trim().replace(/^0x/i, "").toLowerCase();
  if (digits === "") return null;
  const hex = `0x${digits}`;
  if (isHexData(hex)) return hexToBytes(hex);
  throw new VerificationError({ code: "constructor-arguments", detail: "They are not hex." });
}

/** Throws when the request's arguments differ from the creation's; a run decides where another constructor left immutables. */
function checkArguments({ given, onChain }: Session, { match }: Candidate): void {
  const { creationCode } = onChain;
  const isRun = isMatch(match.runtime) && match.runtime.values.immutables !== undefined;
  const isDifferent =
    match.creation !== null &&
    !isMatch(match.creation) &&
    given !== null &&
    creationCode !== null &&
    (match.creation.kind === "constructor-arguments"
      ? match.creation.fault === "different"
      : !isRun && !creationCode.subarray(-given.length).equals(given));
  if (isDifferent) throw new VerificationError(WRONG_ARGUMENTS);
}

function checkLibraries({ libraries }: CompilerInput, { match }: Candidate): void {
  const outcomes = [match.runtime, match.creation];
  const values = outcomes.flatMap((code) => (code !== null && isMatch(code) ? [code.values] : []));
  const linked = values.flatMap((value) => Object.entries(value.libraries ?? {}));
  for (const { name, address } of libraries) {
    const plain = name.slice(name.lastIndexOf(":") + 1);
    const found = linked.find(([id]) => id.endsWith(`:${plain}`));
    if (found === undefined || found[1] === address.toLowerCase()) continue;
    const detail = `The request names ${address} for the library ${name}, the code on chain ${found[1]}.`;
    throw new VerificationError({ code: "bytecode", detail });
  }
}

function wrongLibrary({ onChain }: Session, { input, candidates }: Attempt): string | undefined {
  const runtime = candidates[0]?.contract.runtime.bytes;
  if (runtime === undefined) return undefined;
  for (const [name, address] of Object.entries(givenAddresses(input.settings, {}))) {
    if (!isAddress(address)) continue;
    const offset = runtime.indexOf(hexToBytes(address));
    const there = onChain.runtimeCode.subarray(offset, offset + 20);
    if (offset < 0 || there.equals(hexToBytes(address))) continue;
    return `The settings name ${address} for the library ${name}, the code on chain 0x${there.toString("hex")}.`;
  }
  return undefined;
}

/** Raises a partial match to full when line ends, a flattened file's name or later linked libraries explain the difference. */
async function raise(session: Session, { input }: Attempt, found: Candidate): Promise<Match> {
  const wanted = readCodeMetadata(session.onChain.runtimeCode)?.hash ?? null;
  const unchanged = { input, candidate: found };
  if (qualityOf(found.match) === "full" || wanted === null) return unchanged;
  const better = async (changed: CompilerInput) => {
    const { candidates } = await attempt(session, changed);
    const best = candidates.find(({ match }) => rankOf(match) > rankOf(found.match));
    return best && { input: changed, candidate: best };
  };
  const target = { path: found.path, name: found.name };
  for (const linked of [input, ...withoutLibraries(input)]) {
    const own = linked === input ? undefined : await better({ ...linked, target });
    if (own !== undefined) return own;
    const text =
      linked === input
        ? found.contract.output.metadata
        : await readMetadata(session, linked, found);
    const variant = await findVariant(session, linked, found, text, wanted);
    const changed = variant && {
      ...linked,
      sources: variant.sources,
      target: { ...target, path: variant.path ?? found.path },
    };
    const raised = changed && (await better(changed));
    if (raised !== undefined) return raised;
  }
  return unchanged;
}

/** Returns the input in Hardhat's form: libraries are linked afterwards. None without libraries. */
function withoutLibraries(input: CompilerInput): CompilerInput[] {
  const { libraries } = input.settings;
  const isLinked = isRecord(libraries) && Object.keys(libraries).length > 0;
  return isLinked ? [{ ...input, settings: without(input.settings, ["libraries"]) }] : [];
}

/** Returns the sources of the metadata on chain, if only the ends of lines or texts, or the path, differ. */
async function findVariant(
  session: Session,
  input: CompilerInput,
  found: Pick<Candidate, "path" | "name">,
  metadata: string,
  wanted: { kind: MetadataHashKind; value: Buffer },
): Promise<SourceVariant | undefined> {
  if (metadata === "") return undefined;
  for (const { lines, variants } of textVariants(input.sources, found.path)) {
    if (variants.length === 0) continue;
    // The documentation of a contract keeps the ends of its lines.
    const written = isDeepStrictEqual(lines, input.sources)
      ? metadata
      : await readMetadata(session, { ...input, sources: lines }, found);
    const variant = findSourceVariant(written, variants, input.possiblePaths, wanted);
    if (variant !== undefined) return variant;
  }
  return undefined;
}
