import { keccak256 } from "viem/utils";
import type { Hex } from "../../core/evm/hex.ts";
import type { LookupParts } from "../../store/contracts/verified/lookup.ts";
import type { KeptCode } from "../../verification/engine/kept-code.ts";
import type { VerifiedSource } from "../../verification/engine/verified-source.ts";
import type { CodeMatch } from "../../verification/match/code/code-match.ts";
import { codeOnChain } from "../../verification/similar.ts";

/** The stored compilation, as in `LookupParts.compilation`. */
type Compilation = Pick<
  VerifiedSource,
  "runtimeMatch" | "creationMatch" | "compiledRuntime" | "compiledCreation"
>;

type Parts = Pick<
  LookupParts,
  "compilation" | "codeHash" | "creationSourceMap" | "runtimeSourceMap"
>;

/** Presents the compiled creation code, and its transformations to the code on chain. */
export function presentCreationCode({ compilation, creationSourceMap }: Parts) {
  const { compiledCreation, creationMatch } = JSON.parse(compilation) as Compilation;
  const onChain = creationMatch && codeOnChain(compiledCreation, creationMatch);
  return presentCode(compiledCreation, creationMatch, onChain, creationSourceMap);
}

/** Presents the compiled runtime code, and its transformations to the code on chain. */
export function presentRuntimeCode({ compilation, codeHash, runtimeSourceMap }: Parts) {
  const { compiledRuntime, runtimeMatch } = JSON.parse(compilation) as Compilation;
  const follows = runtimeMatch && codeOnChain(compiledRuntime, runtimeMatch);
  // A blueprint's code does not follow from compiled runtime code.
  const onChain = follows && keccak256(follows) === codeHash ? follows : null;
  return {
    ...presentCode(compiledRuntime, runtimeMatch, onChain, runtimeSourceMap),
    immutableReferences: presentImmutables(compiledRuntime),
  };
}

/** Presents the two codes in the form of the compiler's output. */
export function presentEvm({ compilation, creationSourceMap, runtimeSourceMap }: Parts) {
  const { compiledCreation, compiledRuntime } = JSON.parse(compilation) as Compilation;
  return {
    bytecode: presentOutput(compiledCreation, creationSourceMap),
    deployedBytecode: {
      ...presentOutput(compiledRuntime, runtimeSourceMap),
      immutableReferences: presentImmutables(compiledRuntime),
    },
  };
}

function presentOutput(compiled: KeptCode, sourceMap: string | null) {
  return {
    object: compiled.code.slice(2),
    ...(sourceMap !== null && { sourceMap }),
    linkReferences: presentLinks(compiled),
  };
}

function presentCode(
  compiled: KeptCode,
  match: CodeMatch | null,
  onChain: Hex | null,
  sourceMap: string | null,
) {
  return {
    onchainBytecode: onChain,
    recompiledBytecode: compiled.code,
    ...(sourceMap !== null && { sourceMap }),
    linkReferences: presentLinks(compiled),
    cborAuxdata: Object.fromEntries(
      compiled.auxdata.map(({ id, value, offset }) => [id, { value, offset }]),
    ),
    transformations: match?.transformations ?? null,
    transformationValues: match?.values ?? null,
  };
}

/** Presents links by file, then by library. Any text may be a file's name. */
function presentLinks({ libraries }: KeptCode) {
  const files = Map.groupBy(libraries, ({ id }) => id.slice(0, Math.max(id.lastIndexOf(":"), 0)));
  return Object.fromEntries(
    [...files].map(([file, own]) => [
      file,
      placesBy(own, ({ id }) => id.slice(id.lastIndexOf(":") + 1)),
    ]),
  );
}

function presentImmutables({ immutables }: KeptCode) {
  return placesBy(immutables, ({ id }) => id);
}

type Reference = KeptCode["libraries"][number];

function placesBy(references: readonly Reference[], nameOf: (reference: Reference) => string) {
  const named = [...Map.groupBy(references, nameOf)];
  return Object.fromEntries(
    named.map(([name, own]) => [
      name,
      own.map(({ offset, length }) => ({ start: offset, length })),
    ]),
  );
}
