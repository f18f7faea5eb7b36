import { getAddress, keccak256 } from "viem/utils";
import { z } from "zod";
import { ChainError } from "../../core/errors.ts";
import type { Address } from "../../core/evm/address.ts";
import type { Hex } from "../../core/evm/hex.ts";
import type { Queryable } from "../../db/client.ts";
import { getProxy, isStaleProxy } from "../../store/contracts/proxies.ts";
import {
  type LookupParts,
  listContractNames,
  type VerifiedMatch,
} from "../../store/contracts/verified/lookup.ts";
import type { MatchQuality } from "../../store/contracts/verified/verified-contract.ts";
import type { ServedHead } from "../../store/sync-state.ts";
import type { KeptCode } from "../../verification/engine/kept-code.ts";
import type { VerifiedSource } from "../../verification/engine/verified-source.ts";
import type { CodeMatch } from "../../verification/match/code/code-match.ts";
import { detectProxy, type ProxyReader } from "../../verification/proxies/proxy.ts";
import { codeOnChain } from "../../verification/similar.ts";
import { errorIdOf } from "./endpoint.ts";

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

const level = z.enum(["exact_match", "match"]).nullable();

/** The fields of a contract in every answer. */
export const minimalContract = z.object({
  match: level,
  creationMatch: level,
  runtimeMatch: level,
  chainId: z.string(),
  address: z.string(),
  verifiedAt: z.string().optional(),
  matchId: z.string().optional(),
});

export type MinimalContract = z.output<typeof minimalContract>;

/** Presents the minimal object of a contract; `found` undefined when it is not verified. */
export function presentMatch(
  chainId: number,
  address: Address,
  found: VerifiedMatch | undefined,
): MinimalContract {
  const creationMatch = presentLevel(found?.creationMatch);
  const runtimeMatch = presentLevel(found?.runtimeMatch);
  const levels = [creationMatch, runtimeMatch];
  return {
    match: levels.includes("exact_match") ? "exact_match" : (creationMatch ?? runtimeMatch),
    creationMatch,
    runtimeMatch,
    chainId: String(chainId),
    address: getAddress(address),
    ...(found && {
      verifiedAt: presentTime(found.verifiedAtSeconds),
      matchId: String(found.matchId),
    }),
  };
}

function presentLevel(quality: MatchQuality | null | undefined): MinimalContract["match"] {
  if (quality == null) return null;
  return quality === "full" ? "exact_match" : "match";
}

/** Formats `2026-11-22T01:00:00Z`. */
export function presentTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/, "Z");
}

/** Sourcify's names of its proxy kinds. */
const TYPES: Readonly<Record<string, string>> = {
  eip1167: "EIP1167Proxy",
  eip1967: "EIP1967Proxy",
  eip1967_beacon: "EIP1967Proxy",
  eip1967_oz: "ZeppelinOSProxy",
  eip1822: "PROXIABLEProxy",
  master_copy: "GnosisSafeProxy",
  eip2535: "DiamondProxy",
};

/** A contract's delegation in the index. */
export type ProxyFacts = Awaited<ReturnType<typeof readProxy>>;

/** Reads a contract's delegation in the index; with the head at which to ask the node, where that does not suffice. `sql` must be a snapshot. */
export async function readProxy(sql: Queryable, address: Address, head: ServedHead) {
  const proxy = await getProxy(sql, address);
  const isStale = proxy === undefined && (await isStaleProxy(sql, address));
  const { kind = null, implementations = [] } = proxy ?? {};
  const names = await listContractNames(sql, implementations);
  return { kind, implementations, names, askAt: isStale ? head : undefined };
}

/** Presents a contract's proxy target; asks the node where the index is out of date. */
export async function presentProxy(chain: ProxyReader, address: Address, facts: ProxyFacts) {
  if (facts.askAt === undefined) return present(facts);
  try {
    const detected = await detectProxy(chain, address, facts.askAt);
    return present({ ...facts, ...(detected ?? {}) });
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    const message = "The node of the chain does not answer, please try again later";
    return {
      proxyResolutionError: {
        customCode: "proxy_resolution_error",
        message,
        errorId: errorIdOf(address),
      },
    };
  }
}

function present({ kind, implementations, names }: Omit<ProxyFacts, "askAt">) {
  const isProxy = implementations.length > 0;
  return {
    isProxy,
    proxyType: (isProxy && kind !== null && TYPES[kind]) || null,
    implementations: implementations.map((address) => {
      const name = names.find((named) => named.address === address)?.name;
      return { address: getAddress(address), ...(name !== undefined && { name }) };
    }),
  };
}
