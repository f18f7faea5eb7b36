import { createHash } from "node:crypto";
import { type Hex, hexFromBytes } from "../../core/hex.ts";
import { initCodeOfBlueprint } from "./blueprint.ts";
import type { CodeMatch } from "./code-match.ts";
import type { ContractMatch } from "./contract-match.ts";

/** Stretches of runtime code, as [offset, length], that may differ between deployments of the same source. */
export type CodeMask = [offset: number, length: number][];

/** What finds other deployments of the same source: equal length and equal hash outside the mask. */
export interface CodeFingerprint {
  length: number;
  mask: CodeMask;
  /** SHA-256 of the code with the mask set to zeros. */
  hash: Hex;
}

/** The fingerprint of matched runtime code; null for a blueprint, whose open places are those of creation code. */
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

/** SHA-256 of the code with the masked stretches set to zeros. */
export function blankedHash(code: Buffer, mask: CodeMask): Hex {
  const blanked = Buffer.from(code);
  for (const [offset, length] of mask) blanked.fill(0, offset, offset + length);
  return hexFromBytes(createHash("sha256").update(blanked).digest());
}
