import type { Compiler } from "../compilers/compiler.ts";
import type { CompilerInput } from "../compilers/input.ts";
import { type CompilerOutput, locateContracts, readOutput } from "../compilers/output.ts";
import { compareReleases } from "../compilers/versions.ts";
import { VerificationError } from "../errors.ts";
import { isMatch } from "../match/code/code-match.ts";
import {
  type CompiledContract,
  type ContractMatch,
  matchContract,
  matchVyperContract,
  type OnChainCode,
  rankOf,
  readContract,
  unreportedAuxdata,
  withInnerAuxdata,
} from "../match/contract-match.ts";
import { hasInnerAuxdata } from "../match/metadata/auxdata.ts";
import { filesIn } from "./kept-sources.ts";

/** Constant inputs of all compiles of a verification. */
export interface Session {
  compiler: Compiler;
  onChain: OnChainCode;
  /** Constructor arguments of the request, null for none. */
  given: Buffer | null;
}

/** A contract of the sources, compared with the code on chain. */
export interface Candidate {
  path: string;
  name: string;
  contract: CompiledContract;
  sourceIds: CompilerOutput["sourceIds"];
  match: ContractMatch;
}

/** Result of one compile. */
export interface Attempt {
  input: CompilerInput;
  /** All contracts that fit the request and have code, the best match first. */
  candidates: Candidate[];
  abstract: string[];
  names: { path: string; name: string }[];
}

const OUTPUTS = [
  "abi",
  "devdoc",
  "userdoc",
  "evm.bytecode.object",
  "evm.deployedBytecode.object",
  "evm.methodIdentifiers",
];
const VYPER_OUTPUTS = [...OUTPUTS, "layout"];
const SOLC_OUTPUTS = [
  ...OUTPUTS,
  "storageLayout",
  "transientStorageLayout",
  "metadata",
  "evm.legacyAssembly",
  "evm.bytecode.sourceMap",
  "evm.bytecode.linkReferences",
  "evm.deployedBytecode.sourceMap",
  "evm.deployedBytecode.linkReferences",
  "evm.deployedBytecode.immutableReferences",
  "evm.deployedBytecode.functionDebugData",
];
/** Documentation that violates vyper's rules is an error only when it is requested. */
const VYPER_CODE_OUTPUTS = VYPER_OUTPUTS.filter((output) => !output.endsWith("doc"));
/** All contracts of solc. */
const WIDE: Selection = { "*": { "*": SOLC_OUTPUTS } };
/** Older compilers lack outputs of one contract. */
const NARROW_SINCE = "0.5.0";
/** Older releases of vyper need an entry for each source. */
const VYPER_NARROW_SINCE = "0.4.0";

/** Compiles and compares the wanted contract, twice as fast as all; without a match solc compiles all, to name candidates. */
export async function attempt(session: Session, input: CompilerInput): Promise<Attempt> {
  const isVyper = input.language === "Vyper";
  if (!isVyper && narrowSelection(session, input) === undefined) return attemptOnce(session, input);
  const first = await attemptOnce(session, input).catch(compilerError);
  const isFound = !("failure" in first) && first.candidates.some(({ match }) => rankOf(match) > 0);
  if (!("failure" in first) && (isVyper || isFound)) return first;
  const wider = isVyper ? vyperSelection(session, input, VYPER_CODE_OUTPUTS) : WIDE;
  const second = await compileAndMatch(session, input, wider).catch(compilerError);
  if (!("failure" in second)) return second;
  if (!("failure" in first)) return first;
  throw first;
}

/** As `attempt`, with the narrowest selection of outputs only. */
export function attemptOnce(session: Session, input: CompilerInput): Promise<Attempt> {
  return compileAndMatch(session, input, narrowSelection(session, input) ?? WIDE);
}

/** Returns the compiler's error about the sources; throws any other. */
function compilerError(error: unknown): VerificationError {
  if (error instanceof VerificationError && error.failure.code === "compiler-error") return error;
  throw error;
}

type Selection = Record<string, unknown>;

function narrowSelection(session: Session, input: CompilerInput): Selection | undefined {
  const { path, name } = input.target;
  if (input.language === "Vyper") return vyperSelection(session, input, VYPER_OUTPUTS);
  const isKnown = compareReleases(session.compiler.version.release, NARROW_SINCE) >= 0;
  if (path === null || name === null || !isKnown) return undefined;
  return { [path]: { [name]: SOLC_OUTPUTS } };
}

function vyperSelection(
  { compiler }: Session,
  { sources, target: { path } }: CompilerInput,
  outputs: readonly string[],
): Selection {
  if (path === null) return { "*": outputs };
  const needsAll = compareReleases(compiler.version.release, VYPER_NARROW_SINCE) < 0;
  const others = needsAll ? [...sources.keys()].map((other) => [other, ["abi"]]) : [];
  return { ...Object.fromEntries(others), [path]: outputs };
}

async function compileAndMatch(session: Session, input: CompilerInput, selection: Selection) {
  const output = await compile(session.compiler, input, selection);
  const { sourceIds } = output;
  const read = readerOf(session, input, output);
  const fitting = output.names.filter(
    ({ path, name }) =>
      (input.target.path ?? path) === path && (input.target.name ?? name) === name,
  );
  const candidates: Candidate[] = [];
  const abstract: string[] = [];
  let other: Promise<ContractReader> | undefined;
  for (const { path, name } of fitting) {
    const contract = read(path, name);
    if (contract === undefined || contract.creation.bytes.length === 0) {
      abstract.push(name);
      continue;
    }
    const candidate = { path, name, contract, sourceIds, match: compare(session, input, contract) };
    const { runtime, creation } = candidate.match;
    if (
      (isMatch(runtime) && (creation === null || isMatch(creation))) ||
      !hasInnerAuxdata(contract.creation, contract.reported)
    ) {
      candidates.push(candidate);
      continue;
    }
    other ??= compile(session.compiler, withTrailingBlank(input), selection).then((compiled) =>
      readerOf(session, input, compiled),
    );
    const counterpart = (await other)(path, name);
    const marked = counterpart ? withInnerAuxdata(contract, counterpart) : contract;
    candidates.push({
      ...candidate,
      contract: marked,
      match: counterpart ? compare(session, input, marked) : candidate.match,
    });
  }
  candidates.sort((left, right) => rankOf(right.match) - rankOf(left.match));
  return { input, candidates, abstract, names: output.names };
}

async function compile(
  compiler: Compiler,
  { language, sources, rest, settings }: CompilerInput,
  outputSelection: Selection,
): Promise<CompilerOutput> {
  const files = Object.fromEntries([...sources].map(([path, content]) => [path, { content }]));
  const input = { language, sources: files, ...rest, settings: { ...settings, outputSelection } };
  return locateContracts(readOutput(await compiler.compile(JSON.stringify(input))), sources);
}

/** Reads the metadata of a contract; empty when its sources do not compile. Generates no code. */
export async function readMetadata(
  { compiler }: Session,
  input: CompilerInput,
  { path, name }: Pick<Candidate, "path" | "name">,
): Promise<string> {
  const selection = { "*": { "*": ["metadata"] } };
  const output = await compile(compiler, input, selection).catch(compilerError);
  return "failure" in output ? "" : output.contract(path, name).metadata;
}

/** Bytes of a syntax tree for each byte of dense source. */
const TREE_BYTES = 80;

/** Yields syntax trees of the files in a contract's metadata, as many as one output holds. Compiles nothing. */
export async function* readTrees({ compiler }: Session, input: CompilerInput, metadata: string) {
  const named = filesIn(metadata);
  const bound = compiler.maxOutputBytes / TREE_BYTES;
  let selection: Selection = {};
  let bytes = 0;
  for (const [path, text] of input.sources) {
    if (named && !named.has(path)) continue;
    const size = Buffer.byteLength(text);
    if (bytes > 0 && bytes + size > bound) {
      yield (await compile(compiler, input, selection)).trees;
      selection = {};
      bytes = 0;
    }
    selection = { ...selection, [path]: { "": ["ast"] } };
    bytes += size;
  }
  yield (await compile(compiler, input, selection)).trees;
}

function compare(session: Session, { language }: CompilerInput, contract: CompiledContract) {
  const match = language === "Vyper" ? matchVyperContract : matchContract;
  return match(contract, session.onChain, session.given);
}

/** Parses a contract of an output; undefined when that is impossible. */
type ContractReader = (path: string, name: string) => CompiledContract | undefined;

function readerOf(
  { compiler }: Session,
  { language, settings, sources }: CompilerInput,
  output: CompilerOutput,
): ContractReader {
  const from = { language, release: compiler.version.release, settings, sources };
  const texts = () =>
    new Map(
      output.names.map(({ path, name }) => [
        `${path}:${name}`,
        output.contract(path, name).metadata,
      ]),
    );
  const unreported = unreportedAuxdata(from, texts);
  return (path, name) => readContract(output.contract(path, name), { ...from, unreported });
}

/** Changes only the metadata hashes of all contracts. */
function withTrailingBlank(input: CompilerInput): CompilerInput {
  return {
    ...input,
    sources: new Map([...input.sources].map(([path, text]) => [path, `${text} `])),
  };
}
