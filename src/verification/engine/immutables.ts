import { type Hex, hexFromBytes, hexToBytes } from "../../core/hex.ts";
import type { ImmutableValue } from "../../store/verified-contracts/deployment-proofs.ts";
import type { AbiEntry, CodeOutput } from "../compilers/output.ts";
import { compareReleases } from "../compilers/versions.ts";
import { VerificationError } from "../errors.ts";
import type { CompilerInput } from "../inputs/compiler-input.ts";
import {
  type CodeMatch,
  isMatch,
  type Mismatch,
  type TransformationValues,
} from "../match/code-match.ts";
import { areConstructorArguments } from "../match/constructor-arguments.ts";
import type { ContractMatch } from "../match/contract-match.ts";
import { isValueOf, isVyperValue } from "../match/immutable-value.ts";
import { jumpDestinations, mayBeJumpedInto } from "../match/jump-destinations.ts";
import { pushesNoAddress } from "../match/runtime-code.ts";
import { readSyntax } from "../match/syntax.ts";
import { immutablesIn } from "../match/vyper-code.ts";
import { type Candidate, readTrees, type Session } from "./attempt.ts";
import { settingsIn } from "./metadata-text.ts";

/** Earlier releases do not extend the sign of negative immutables. */
const SIGNS_SINCE = "0.8.9";

/**
 * The values of the immutables in matched code. Throws `VerificationError` of code `bytecode` when a value does not fit
 * its variable's type, when a library holds no address, and when metadata on chain that is not the compiler's could be run
 * as code.
 */
export async function readImmutables(
  session: Session,
  input: CompilerInput,
  { contract, match }: Candidate,
): Promise<ImmutableValue[]> {
  const runtime = valuesOf(match.runtime);
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
  // A library's own address, which was compared, and the immutables of Yul have names for ids.
  const entries = Object.entries(immutables);
  const ids = new Set(entries.map(([id]) => id).filter((id) => /^\d+$/.test(id)));
  const viaIR = settingsIn(contract.output.metadata)["viaIR"] === true;
  const strange = strangeBytes(contract.output.abi, match).find(({ value }) =>
    mayBeJumpedInto(hexToBytes(value)),
  );
  if (input.language === "Yul" || (ids.size === 0 && (viaIR || strange === undefined))) {
    return entries.map(([name, value]) => ({ name, type: "", value }));
  }
  const trees = readTrees(session, input, contract.output.metadata);
  const syntax = await readSyntax(trees, ids);
  if (strange !== undefined && !viaIR && syntax.keepsFunctions) {
    refuse(`${strange.what}, and the code could be made to run it.`);
  }
  const { sourceMap, functionDebugData } = contract.output.evm.deployedBytecode;
  const destinations = jumpDestinations(contract.runtime.bytes, sourceMap ?? "");
  const isConstructed = match.creation !== null && isMatch(match.creation);
  const rules = {
    viaIR,
    extendsSigns: compareReleases(session.compiler.version.release, SIGNS_SINCE) >= 0,
    // Without a known constructor, a function value must be where a function begins: elsewhere it would skip checks.
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

/**
 * What stands in the code, or stood there when the constructor ran, and neither the source nor its ABI tells of. The metadata
 * of contracts that the constructor makes is in the creation code alone.
 */
function strangeBytes(
  abi: readonly AbiEntry[],
  match: ContractMatch,
): { what: string; value: Hex }[] {
  const [runtime, creation] = [valuesOf(match.runtime), valuesOf(match.creation)];
  const metadata = [runtime, creation].flatMap((values) => Object.values(values.cborAuxdata ?? {}));
  const { constructorArguments: behind = "0x" } = creation;
  const isArguments = areConstructorArguments(abi, hexToBytes(behind));
  return [
    ...metadata.map((value) => ({ what: "The metadata on chain is not the compiler's", value })),
    ...(isArguments
      ? []
      : [{ what: "What follows the creation code encodes no arguments", value: behind }]),
  ];
}

/** What deployment put into code that ran or stands on chain; nothing where it is other code than the compiled one. */
function valuesOf(code: CodeMatch | Mismatch | null): TransformationValues {
  if (code === null) return {};
  return isMatch(code) || code.kind === "constructor-arguments" ? code.values : {};
}

/** Where functions of the source begin; undefined when the compiler does not tell. */
function beginnings(
  functions: CodeOutput["functionDebugData"] = {},
): ReadonlySet<number> | undefined {
  const identified = Object.values(functions).filter(({ id }) => id != null);
  return identified.length === 0
    ? undefined
    : new Set(identified.map(({ entryPoint }) => entryPoint ?? -1));
}

function refuse(detail: string): never {
  throw new VerificationError({ code: "bytecode", detail });
}

/** Vyper puts immutables behind the code; its layout names their places. */
function vyperValues(
  layout: unknown,
  immutables: NonNullable<TransformationValues["immutables"]>,
): ImmutableValue[] {
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
