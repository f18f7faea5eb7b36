import { hexFromBytes } from "../../../core/evm/hex.ts";
import { isRecord } from "../../../core/json/record.ts";
import type { AbiEntry } from "../../compilers/output.ts";
import { readVyperMetadata, type VyperMetadata } from "../metadata/metadata.ts";
import type { CompiledCode } from "./bytecode.ts";
import {
  type CodeMatch,
  firstDifference,
  type Mismatch,
  recordAuxdata,
  startMatching,
} from "./code-match.ts";
import { appendArguments } from "./creation-code.ts";

/** Compares vyper's creation code with init code; full only by the integrity hash since 0.4.1. */
export function matchVyperCreationCode(
  compiled: CompiledCode,
  metadata: VyperMetadata | null,
  onChain: Buffer,
  abi: readonly AbiEntry[],
  given: Buffer | null,
): CodeMatch | Mismatch {
  if (compiled.bytes.length === 0) return { kind: "empty" };
  const matching = startMatching(compiled);
  const { bytes } = matching;
  const there = readVyperMetadata(onChain.subarray(0, bytes.length));
  const integrity = metadata?.integrity ?? null;
  let quality: CodeMatch["quality"] = integrity === null ? "partial" : "full";
  if (
    integrity !== null &&
    there?.integrity?.length === integrity.length &&
    there.offset === metadata?.offset &&
    !there.integrity.equals(integrity)
  ) {
    // Copies only the hash of the metadata; the rest must be equal.
    const offset = bytes.indexOf(integrity, there.offset);
    there.integrity.copy(bytes, offset);
    recordAuxdata(
      matching,
      { type: "replace", reason: "cborAuxdata", offset, id: "1" },
      there.integrity,
    );
    quality = "partial";
  }
  const mismatch = appendArguments(matching, onChain, abi, given);
  return (
    mismatch ?? { quality, transformations: matching.transformations, values: matching.values }
  );
}

const WORD_BYTES = 32;

/** Compares vyper's runtime code, followed by `immutableBytes`; undefined accepts any that other proofs cover. Never full. */
export function matchVyperRuntimeCode(
  compiled: CompiledCode,
  immutableBytes: number | undefined,
  onChain: Buffer,
  creation: CodeMatch | Mismatch | null,
): CodeMatch | Mismatch {
  const { length } = compiled.bytes;
  if (length === 0) return { kind: "empty" };
  const rest = onChain.length - length;
  const isWords = creation !== null && rest % WORD_BYTES === 0;
  const expected = immutableBytes ?? (isWords ? rest : 0);
  if (rest < 0 || rest !== expected) {
    return { kind: "length", compiled: length + (immutableBytes ?? 0), onChain: onChain.length };
  }
  if (!onChain.subarray(0, length).equals(compiled.bytes)) {
    const offset = firstDifference(compiled.bytes, onChain);
    return { kind: "bytes", offset, metadataEqual: false };
  }
  if (rest === 0) return { quality: "partial", transformations: [], values: {} };
  return {
    quality: "partial",
    transformations: [{ type: "insert", reason: "immutable", offset: length, id: "0" }],
    values: { immutables: { "0": hexFromBytes(onChain.subarray(length)) } },
  };
}

/** An immutable in the bytes after the runtime code. */
export interface ImmutablePlace {
  /** Prefixed with the names of its modules. */
  name: string;
  type: string;
  offset: number;
  length: number;
}

/** Returns the layout's immutables, in their order; undefined where the compiler has none (up to 0.4.0). */
export function immutablesIn(layout: unknown): ImmutablePlace[] | undefined {
  if (!isRecord(layout)) return undefined;
  return placesIn(layout["code_layout"], "").sort((left, right) => left.offset - right.offset);
}

/** Returns the places; those of imported modules are in a nested object. */
function placesIn(layout: unknown, prefix: string): ImmutablePlace[] {
  if (!isRecord(layout)) return [];
  return Object.entries(layout).flatMap(([key, entry]) => {
    const name = `${prefix}${key}`;
    if (!isRecord(entry)) return [];
    const { type, offset, length } = entry;
    return typeof type === "string" && typeof offset === "number" && typeof length === "number"
      ? [{ name, type, offset, length }]
      : placesIn(entry, `${name}.`);
  });
}
