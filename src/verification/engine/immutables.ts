import { type Hex, hexFromBytes, hexToBytes } from "../../core/evm/hex.ts";
import type { ImmutableValue } from "../../store/contracts/verified/deployment-proofs.ts";
import { type CompilerInput, hasVerbatim } from "../compilers/input.ts";
import type { CodeOutput } from "../compilers/output.ts";
import { compareReleases } from "../compilers/versions.ts";
import { VerificationError } from "../errors.ts";
import type { CompiledCode } from "../match/code/bytecode.ts";
import { isMatch, type TransformationValues } from "../match/code/code-match.ts";
import { areConstructorArguments } from "../match/code/creation-code.ts";
import { isValueOf, isVyperValue } from "../match/code/immutable-value.ts";
import {
  foreignParts,
  initCodeOfBlueprint,
  jumpDestinations,
  mayBeRun,
} from "../match/code/instructions.ts";
import { pushesNoAddress } from "../match/code/runtime-code.ts";
import { immutablesIn } from "../match/code/vyper-code.ts";
import type { CompiledContract, ContractMatch, OnChainCode } from "../match/contract-match.ts";
import { readSyntax } from "../match/syntax.ts";
import { type Candidate, readTrees, type Session } from "./attempt.ts";
import { linkedAddresses, settingsIn } from "./kept-sources.ts";

const FOREIGN_RUN =
  "There is metadata, a library's address, an immutable or an argument in the code that neither the source nor its ABI explains, and the code could be made to run it.";
/** Earlier releases do not extend the sign of negative immutables. */
const SIGNS_SINCE = "0.8.9";

/** Reads immutables of matched code. Throws `VerificationError` for impossible values and unexplained bytes that may run. */
export async function readImmutables(
  session: Session,
  input: CompilerInput,
  { contract, match }: Candidate,
): Promise<ImmutableValue[]> {
  const runtime = isMatch(match.runtime) ? match.runtime.values : {};
  const { immutables = {} } = runtime;
  if (input.language === "Vyper") return vyperValues(contract.output.layout, immutables);
  if (input.language === "Yul" && runtime.callProtection !== undefined) {
    refuse("The code on chain holds an address where that of the source holds none.");
  }
  if (
    input.language === "Solidity" &&
    isMatch(match.runtime) &&
    pushesNoAddress(session.onChain.runtimeCode)
  ) {
    refuse("The library on chain holds no address of its own.");
  }
  // Ids that are names: a library's own address, which was compared, and the immutables of Yul.
  const entries = Object.entries(immutables);
  const ids = new Set(entries.map(([id]) => id).filter((id) => /^\d+$/.test(id)));
  const viaIR = settingsIn(contract.output.metadata)["viaIR"] === true;
  // Only stored functions, or the author's own instructions, lead outside the source's code.
  const isBound = input.language === "Yul" ? !hasVerbatim(input) : viaIR;
  const isForeignRun = !isBound && mayRunForeign(session.onChain, input, contract, match);
  if (isForeignRun && input.language === "Yul") refuse(FOREIGN_RUN);
  if (input.language === "Yul" || (ids.size === 0 && !isForeignRun)) {
    return entries.map(([name, value]) => ({ name, type: "", value }));
  }
  const trees = readTrees(session, input, contract.output.metadata);
  const syntax = await readSyntax(trees, ids);
  if (isForeignRun && syntax.keepsFunctions) refuse(FOREIGN_RUN);
  const { sourceMap, functionDebugData } = contract.output.evm.deployedBytecode;
  const destinations = jumpDestinations(contract.runtime.bytes, sourceMap ?? "");
  const isConstructed = match.creation !== null && isMatch(match.creation);
  const rules = {
    viaIR,
    extendsSigns: compareReleases(session.compiler.version.release, SIGNS_SINCE) >= 0,
    // Without a known constructor, a function value must be the start of a function: elsewhere it would skip checks.
    destinations: isConstructed ? destinations : (beginnings(functionDebugData) ?? destinations),
  };
  return [...ids].map((id) => {
    const value = immutables[id] ?? "0x";
    const { name = id, type = "", typeIdentifier = "" } = syntax.variables.get(id) ?? {};
    if (!isValueOf(typeIdentifier, hexToBytes(value), syntax, rules)) {
      refuse(`The code on chain holds ${value} for the immutable ${name}: no value of ${type}.`);
    }
    return { name, type, value };
  });
}

/** Returns whether jumps may reach unexplained bytes, in the code or during the constructor. */
function mayRunForeign(
  { runtimeCode, creationCode }: OnChainCode,
  { settings }: CompilerInput,
  { output, runtime, creation }: CompiledContract,
  match: ContractMatch,
): boolean {
  const linked = linkedAddresses(settings, output.metadata);
  const isRun = (compiled: CompiledCode, code: Buffer) =>
    mayBeRun(code, [...compiled.immutables, ...foreignParts(compiled, code, linked)]);
  const blueprint = initCodeOfBlueprint(runtimeCode);
  const [compiled, present] =
    blueprint === null ? [runtime, runtimeCode] : ([creation, blueprint] as const);
  if (isMatch(match.runtime) && isRun(compiled, present)) return true;
  const isCompared =
    match.creation !== null &&
    (isMatch(match.creation) || match.creation.kind === "constructor-arguments");
  if (creationCode === null || !isCompared) return false;
  const { length } = creation.bytes;
  const isArguments = areConstructorArguments(output.abi, creationCode.subarray(length));
  const ran = isArguments ? creationCode.subarray(0, length) : creationCode;
  return isRun(creation, ran);
}

/** Returns where functions of the source begin; undefined without the compiler's report. */
function beginnings(functions: CodeOutput["functionDebugData"] = {}) {
  const identified = Object.values(functions).filter(({ id }) => id != null);
  return identified.length === 0
    ? undefined
    : new Set(identified.map(({ entryPoint }) => entryPoint ?? -1));
}

function refuse(detail: string): never {
  throw new VerificationError({ code: "bytecode", detail });
}

/** Returns vyper's immutables, which are behind the code, by its layout. */
function vyperValues(layout: unknown, immutables: NonNullable<TransformationValues["immutables"]>) {
  const data = hexToBytes(immutables["0"] ?? "0x");
  const places = immutablesIn(layout) ?? [];
  return places
    .filter(({ offset, length }) => offset + length <= data.length)
    .map(({ name, type, offset, length }) => {
      const word = data.subarray(offset, offset + length);
      const value: Hex = hexFromBytes(word);
      if (!isVyperValue(type, word)) {
        refuse(`The code on chain holds ${value} for the immutable ${name}: no value of ${type}.`);
      }
      return { name, type, value };
    });
}
