import { type Hex, hexFromBytes } from "../../../core/evm/hex.ts";
import type { MatchQuality } from "../../../store/contracts/verified/verified-contract.ts";
import { isSameCompiler, parseCodeMetadata } from "../metadata/metadata.ts";
import type { Auxdata, CompiledCode, Slot } from "./bytecode.ts";

/** One difference between compiled code and code on chain that deployment explains (Verifier Alliance's terms). */
export interface Transformation {
  type: "replace" | "insert" | "delete";
  reason: "callProtection" | "immutable" | "library" | "cborAuxdata" | "constructorArguments";
  /** In bytes of the compiled code. */
  offset: number;
  id?: string;
}

/** The values of the transformations, by id. */
export interface TransformationValues {
  callProtection?: Hex;
  immutables?: Record<string, Hex>;
  libraries?: Record<string, Hex>;
  cborAuxdata?: Record<string, Hex>;
  constructorArguments?: Hex;
}

/** The transformations of compiled code into the code on chain. */
export interface CodeMatch {
  quality: MatchQuality;
  transformations: Transformation[];
  values: TransformationValues;
}

/** The first difference unexplained by deployment. Offsets and lengths in bytes. */
export type Mismatch =
  | { kind: "empty" }
  | { kind: "length"; compiled: number; onChain: number }
  | { kind: "bytes"; offset: number; metadataEqual: boolean }
  | { kind: "library"; name: string }
  | { kind: "immutable" }
  | { kind: "call-protection" }
  /** The code before them is the compiled one with these values. */
  | {
      kind: "constructor-arguments";
      /** Other than the request's, no encoding of the constructor's parameters, or more than none. */
      fault: "different" | "malformed" | "unexpected";
      values: TransformationValues;
    }
  /** Creation code that may execute the bytes after it. */
  | { kind: "runs-on" };

/** Compiled code that is being made equal to the code on chain. */
export interface Matching {
  bytes: Buffer;
  transformations: Transformation[];
  values: TransformationValues;
}

export function startMatching(compiled: CompiledCode): Matching {
  return { bytes: Buffer.from(compiled.bytes), transformations: [], values: {} };
}

/** Copies the chain's bytes into slots; returns the first that contradicts an earlier one of its id. */
export function fillSlots(
  matching: Matching,
  slots: readonly Slot[],
  onChain: Buffer,
  reason: "library" | "immutable",
): Slot | undefined {
  const values = new Map<string, Buffer>();
  for (const slot of slots) {
    const value = onChain.subarray(slot.offset, slot.offset + slot.length);
    const before = values.get(slot.id);
    if (before !== undefined && !before.equals(value)) return slot;
    values.set(slot.id, value);
    value.copy(matching.bytes, slot.offset);
    matching.transformations.push({ type: "replace", reason, offset: slot.offset, id: slot.id });
  }
  if (values.size > 0) {
    const record = Object.fromEntries([...values].map(([id, value]) => [id, hexFromBytes(value)]));
    if (reason === "library") matching.values.libraries = record;
    else matching.values.immutables = record;
  }
  return undefined;
}

/** Copies metadata on chain over compiled metadata of the same length. */
export function replaceAuxdata(matching: Matching, auxdata: readonly Auxdata[], onChain: Buffer) {
  for (const { id, offset, value } of auxdata) {
    const there = onChain.subarray(offset, offset + value.length);
    if (there.equals(value) || !isSameCompiler(parseCodeMetadata(there), value)) continue;
    there.copy(matching.bytes, offset);
    recordAuxdata(matching, { type: "replace", reason: "cborAuxdata", offset, id }, there);
  }
}

export function recordAuxdata(matching: Matching, step: Transformation, value: Buffer | null) {
  matching.transformations.push(step);
  if (value === null || step.id === undefined) return;
  matching.values.cborAuxdata = { ...matching.values.cborAuxdata, [step.id]: hexFromBytes(value) };
}

/** Returns the finished match: full when there is metadata, all of it holds a hash, and none was replaced. */
export function finishMatching(matching: Matching, auxdata: readonly Buffer[]): CodeMatch {
  const { transformations, values } = matching;
  const match: CodeMatch = { quality: "partial", transformations, values };
  const hashed =
    auxdata.length > 0 && auxdata.every((bytes) => parseCodeMetadata(bytes)?.hash != null);
  return hashed && !hasOtherMetadata(match) ? { ...match, quality: "full" } : match;
}

/** Returns whether code on chain is the compiled one with other metadata, or without it. */
export function hasOtherMetadata(code: CodeMatch | Mismatch): boolean {
  if (isMatch(code)) return code.transformations.some(({ reason }) => reason === "cborAuxdata");
  return code.kind === "constructor-arguments" && code.values.cborAuxdata !== undefined;
}

/** Returns the offset of the first different byte, or the length of the shorter one. */
export function firstDifference(left: Buffer, right: Buffer): number {
  const end = Math.min(left.length, right.length);
  for (let offset = 0; offset < end; offset++) if (left[offset] !== right[offset]) return offset;
  return end;
}

export function isMatch(outcome: CodeMatch | Mismatch): outcome is CodeMatch {
  return "quality" in outcome;
}
