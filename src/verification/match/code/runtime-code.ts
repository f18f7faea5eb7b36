import type { Address } from "../../../core/evm/address.ts";
import { hexFromBytes, hexToBytes } from "../../../core/evm/hex.ts";
import { isSameCompiler, readCodeMetadata } from "../metadata/metadata.ts";
import type { CompiledCode, Slot } from "./bytecode.ts";
import {
  type CodeMatch,
  fillSlots,
  finishMatching,
  firstDifference,
  type Matching,
  type Mismatch,
  recordAuxdata,
  replaceAuxdata,
  startMatching,
} from "./code-match.ts";

const PUSH20 = 0x73;
const PUSH_OF_NO_ADDRESS = Buffer.from([PUSH20, ...Array(20).fill(0)]);
const INVALID = 0xfe;

/** Compares runtime code with that of `address`, apart from deployed values. `auxdata` is all metadata. */
export function matchRuntimeCode(
  compiled: CompiledCode,
  auxdata: readonly Buffer[],
  onChain: Buffer,
  address: Address,
): CodeMatch | Mismatch {
  if (compiled.bytes.length === 0) return { kind: "empty" };
  const matching = startMatching(compiled);
  const tail = alignTail(matching, compiled, onChain);
  if (matching.bytes.length !== tail.onChain.length) {
    return { kind: "length", compiled: compiled.bytes.length, onChain: onChain.length };
  }
  if (!protectCalls(matching, compiled, tail.onChain, address)) {
    return { kind: "call-protection" };
  }
  if (fillSlots(matching, compiled.immutables, tail.onChain, "immutable"))
    return { kind: "immutable" };
  const library = fillSlots(matching, compiled.libraries, tail.onChain, "library");
  if (library) return { kind: "library", name: library.id };
  replaceAuxdata(matching, tail.inner, tail.onChain);
  if (!matching.bytes.equals(tail.onChain)) {
    const offset = firstDifference(matching.bytes, tail.onChain);
    return { kind: "bytes", offset, metadataEqual: tail.equal };
  }
  return finishMatching(matching, auxdata);
}

/** Cuts metadata off both ends; on chain its length may differ, or it is absent with its INVALID (`appendCBOR: false`). */
function alignTail(matching: Matching, compiled: CompiledCode, onChain: Buffer) {
  const last = compiled.auxdata.at(-1);
  if (last === undefined || last.offset + last.value.length !== compiled.bytes.length) {
    return { onChain, inner: compiled.auxdata, equal: false };
  }
  const { id, offset, value } = last;
  const inner = compiled.auxdata.slice(0, -1);
  matching.bytes = matching.bytes.subarray(0, offset);
  const metadata = readCodeMetadata(onChain);
  if (metadata !== null && isSameCompiler(metadata, value)) {
    const there = metadata.bytes;
    const equal = there.equals(value);
    if (!equal)
      recordAuxdata(matching, { type: "replace", reason: "cborAuxdata", offset, id }, there);
    return { onChain: onChain.subarray(0, -there.length), inner, equal };
  }
  if (onChain.length === offset - 1 && compiled.bytes[offset - 1] === INVALID) {
    matching.bytes = matching.bytes.subarray(0, -1);
  }
  recordAuxdata(
    matching,
    { type: "delete", reason: "cborAuxdata", offset: matching.bytes.length, id },
    null,
  );
  return { onChain, inner, equal: false };
}

/** The IR's name of the immutable with the library's own address. */
export const DEPLOY_ADDRESS = "library_deploy_address";

/** Fills in a library's own address, with which it refuses plain calls: in the first push, or with the IR in an immutable. */
function protectCalls(
  matching: Matching,
  { immutables, libraries }: CompiledCode,
  onChain: Buffer,
  address: Address,
): boolean {
  const own = hexToBytes(address);
  const holdsOwn = ({ offset, length }: Slot) =>
    onChain.subarray(offset + length - 20, offset + length).equals(own);
  if (!immutables.every((slot) => slot.id !== DEPLOY_ADDRESS || holdsOwn(slot))) return false;
  const pushesOther = libraries.some(({ offset }) => offset === 1);
  if (pushesOther || !pushesNoAddress(matching.bytes)) return true;
  const pushed = onChain.subarray(1, 21);
  if (onChain[0] !== PUSH20 || pushesNoAddress(onChain)) return true;
  if (!pushed.equals(own)) return false;
  pushed.copy(matching.bytes, 1);
  matching.transformations.push({ type: "replace", reason: "callProtection", offset: 1 });
  matching.values.callProtection = hexFromBytes(pushed);
  return true;
}

/** Returns whether code begins as that of an undeployed library, which on chain refuses no calls. */
export function pushesNoAddress(code: Buffer): boolean {
  return code.subarray(0, PUSH_OF_NO_ADDRESS.length).equals(PUSH_OF_NO_ADDRESS);
}
