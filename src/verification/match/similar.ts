import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Address } from "../../core/evm/address.ts";
import { type Hex, hexFromBytes, hexToBytes } from "../../core/evm/hex.ts";
import type { ImmutableValue } from "../../store/contracts/verified/deployment-proofs.ts";
import type { CompiledCode } from "./code/bytecode.ts";
import { type CodeMatch, isMatch } from "./code/code-match.ts";
import { isPlainValue } from "./code/immutable-value.ts";
import {
  type EnvironmentInstruction,
  foreignParts,
  initCodeOfBlueprint,
  mayBeRun,
} from "./code/instructions.ts";
import { DEPLOY_ADDRESS, matchRuntimeCode, pushesNoAddress } from "./code/runtime-code.ts";
import type { ContractMatch } from "./contract-match.ts";

/** Parts of runtime code, as [offset, length], that may differ between deployments of the same source. */
export type CodeMask = [offset: number, length: number][];

/** Finds codes of equal length and hash outside the mask; only `isOtherDeployment` compares the rest. */
interface CodeFingerprint {
  length: number;
  mask: CodeMask;
  /** SHA-256 of the code with the mask set to zeros. */
  hash: Hex;
}

/** Returns the fingerprint of matched runtime code; null for a blueprint, which holds creation code. */
export function fingerprintOf(
  { compiledRuntime: compiled }: ContractMatch,
  match: CodeMatch,
  onChain: Buffer,
): CodeFingerprint | null {
  if (initCodeOfBlueprint(onChain) !== null) return null;
  const slots = [...compiled.immutables, ...compiled.libraries];
  const mask: CodeMask = slots.map(({ offset, length }) => [offset, length]);
  for (const { offset, value } of compiled.auxdata) {
    const isLast = offset + value.length === compiled.bytes.length;
    mask.push([offset, isLast ? Math.max(0, onChain.length - offset) : value.length]);
  }
  for (const { reason, type, offset } of match.transformations) {
    if (reason === "callProtection") mask.push([offset, 20]);
    if (reason === "immutable" && type === "insert") mask.push([offset, onChain.length - offset]);
  }
  const present = mask.filter(([, length]) => length > 0);
  return { length: onChain.length, mask: present, hash: blankedHash(onChain, present) };
}

/** Returns SHA-256 of the code with zeros in the masked parts. */
export function blankedHash(code: Buffer, mask: CodeMask): Hex {
  const blanked = Buffer.from(code);
  for (const [offset, length] of mask) blanked.fill(0, offset, offset + length);
  return hexFromBytes(createHash("sha256").update(blanked).digest());
}

/** Verified runtime code to compare with other code. */
export interface KnownCode {
  isVyper: boolean;
  compiled: CompiledCode;
  /** The deployed values of the verified code, by id. */
  immutables: Readonly<Record<string, Hex>>;
  /** The same values with names and types, in the same order; empty when unknown. */
  values: readonly ImmutableValue[];
}

/** Returns whether code differs only in harmless values of deployment: no jump into metadata, plain or equal immutables. */
export function isOtherDeployment(known: KnownCode, code: Buffer, address: Address): boolean {
  const { compiled, isVyper } = known;
  if (isVyper) return isOtherVyperDeployment(known, code);
  const match = matchRuntimeCode(compiled, [], code, address);
  if (!isMatch(match) || pushesNoAddress(code)) return false;
  const { immutables = {} } = match.values;
  const { values } = known;
  const declared = Object.keys(known.immutables).filter((id) => /^\d+$/.test(id));
  const types = values.length === declared.length ? values.map(({ type }) => type) : [];
  return (
    !mayBeRun(code, foreignParts(compiled, code)) &&
    Object.entries(immutables).every(
      ([id, value]) =>
        value === known.immutables[id] ||
        id === DEPLOY_ADDRESS ||
        isPlainValue(types[declared.indexOf(id)] ?? "", hexToBytes(value)),
    )
  );
}

/** Compares vyper's immutables, which follow the code one after the other. */
function isOtherVyperDeployment(known: KnownCode, code: Buffer): boolean {
  const { length } = known.compiled.bytes;
  if (!code.subarray(0, length).equals(known.compiled.bytes)) return false;
  if (hexFromBytes(code.subarray(length)) === (known.immutables["0"] ?? "0x")) return true;
  let offset = length;
  for (const { type, value } of known.values) {
    const word = hexToBytes(value);
    const there = code.subarray(offset, offset + word.length);
    if (!there.equals(word) && !isPlainValue(type, there)) return false;
    offset += word.length;
  }
  return offset === code.length;
}

/** Compiled creation code to run in place of another one. */
export interface Trial {
  /** Linked with the libraries of the runtime code. */
  code: Hex;
  /** Arguments, each to be run after the code; empty when no run would prove anything. */
  endings: Hex[];
  /** True if the chain holds no arguments: the endings are made up, or the request's. */
  isMadeUp: boolean;
  /** Environment instructions of the constructor. */
  asks: EnvironmentInstruction[];
}

/** A contract whose constructor was run: its compiled code and the code on chain. */
export interface Trialled {
  compiled: CompiledCode;
  onChain: Buffer;
  address: Address;
}

/** Returns whether the compiled constructor returned the code on chain, apart from the metadata of both. */
export function returnedSameCode(trialled: Trialled, returned: Buffer): boolean {
  if (returned.equals(trialled.onChain)) return true;
  const [here, there] = [returned, trialled.onChain].map((code) => valuesOf(trialled, code));
  return here !== undefined && there !== undefined && isDeepStrictEqual(here, there);
}

/** Returns the deployed values in the code; undefined when it is not the compiled code. */
function valuesOf({ compiled, address }: Trialled, code: Buffer) {
  const outcome = matchRuntimeCode(compiled, [], code, address);
  if (!isMatch(outcome)) return undefined;
  const { cborAuxdata: _, ...values } = outcome.values;
  return values;
}
