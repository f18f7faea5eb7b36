import type { Syntax } from "../syntax.ts";

/** A compiler's rules for values. */
export interface ValueRules {
  /** With the IR, a function value is a number chosen by the compiler, not a jump destination. */
  viaIR: boolean;
  /** Jump destinations of the compiled runtime code; null when unknown. */
  destinations: ReadonlySet<number> | null;
  /** False before 0.8.9: negative numbers fill only their type's bits (solc's bug SignedImmutables). */
  extendsSigns: boolean;
}

const WORD_BITS = 256n;
/** Bits of a function's offset in the runtime code, and above them as many of its offset in the creation code. */
const PLACE_BITS = 32n;

/** Returns whether a word is a valid value of a type, padded as compiled; a function only within the code. */
export function isValueOf(
  typeIdentifier: string,
  word: Buffer,
  syntax: Pick<Syntax, "enums" | "valueTypes">,
  rules: ValueRules,
): boolean {
  if (word.length !== 32) return false;
  const value = BigInt(`0x${word.toString("hex")}`);
  const [, kind = "", size = ""] = /^t_(uint|int|bytes)(\d+)$/.exec(typeIdentifier) ?? [];
  if (kind === "uint") return fits(value, BigInt(size));
  if (kind === "int") {
    return fitsSigned(value, BigInt(size)) || (!rules.extendsSigns && fits(value, BigInt(size)));
  }
  if (kind === "bytes") return value % 2n ** (WORD_BITS - 8n * BigInt(size)) === 0n;
  if (typeIdentifier === "t_bool") return value <= 1n;
  if (/^t_(?:address|address_payable|contract\$_.*)$/.test(typeIdentifier))
    return fits(value, 160n);
  const id = /_\$(\d+)$/.exec(typeIdentifier)?.[1] ?? "";
  if (typeIdentifier.startsWith("t_enum$")) return value < BigInt(syntax.enums.get(id) ?? 0);
  if (typeIdentifier.startsWith("t_userDefinedValueType$")) {
    return isValueOf(syntax.valueTypes.get(id) ?? "", word, syntax, rules);
  }
  return typeIdentifier.startsWith("t_function_internal") && isFunction(value, rules);
}

const PLAIN_TYPE = /^(?:address|bool|u?int\d+|bytes\d+)$/;
const NO_SYNTAX = { enums: new Map(), valueTypes: new Map() };
const STRICT: ValueRules = { viaIR: true, destinations: null, extendsSigns: true };

/** Returns whether a word is a valid value of a type known by name; contracts count as addresses. */
export function isPlainValue(type: string, word: Buffer): boolean {
  const name = /^(?:address payable$|contract )/.test(type) ? "address" : type;
  return PLAIN_TYPE.test(name) && isValueOf(`t_${name}`, word, NO_SYNTAX, STRICT);
}

const WORD_BYTES = 32;

/** Returns whether bytes are a valid value of a vyper type; unknown types (structs, flags, interfaces) pass. */
export function isVyperValue(type: string, bytes: Buffer): boolean {
  if (PLAIN_TYPE.test(type)) return isPlainValue(type, bytes);
  if (type === "decimal") return isPlainValue("int168", bytes);
  const [, text] = /^(?:String|Bytes)\[(\d+)\]$/.exec(type) ?? [];
  if (text !== undefined) return lengthIn(bytes) <= BigInt(text);
  const [, listed, most] = /^DynArray\[(.+), (\d+)\]$/.exec(type) ?? [];
  if (listed !== undefined) {
    const length = lengthIn(bytes);
    const parts = partsOf(bytes.subarray(WORD_BYTES), Number(most));
    return (
      length <= BigInt(parts.length) &&
      parts.slice(0, Number(length)).every((part) => isVyperValue(listed, part))
    );
  }
  const [, element, size] = /^(.+)\[(\d+)\]$/.exec(type) ?? [];
  return (
    element === undefined ||
    partsOf(bytes, Number(size)).every((part) => isVyperValue(element, part))
  );
}

function lengthIn(bytes: Buffer): bigint {
  return BigInt(`0x0${bytes.toString("hex", 0, WORD_BYTES)}`);
}

function partsOf(bytes: Buffer, count: number): Buffer[] {
  const size = bytes.length / count;
  return Array.from({ length: count }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}

function fits(value: bigint, bits: bigint): boolean {
  return value < 2n ** bits;
}

function fitsSigned(value: bigint, bits: bigint): boolean {
  const half = 2n ** (bits - 1n);
  return value < half || value >= 2n ** WORD_BITS - half;
}

/** Returns whether a value is a function. Zero is an unset one, whose call fails. */
function isFunction(value: bigint, { viaIR, destinations }: ValueRules): boolean {
  if (viaIR || value === 0n) return fits(value, 2n * PLACE_BITS);
  const place = Number(value % 2n ** PLACE_BITS);
  return fits(value, 2n * PLACE_BITS) && destinations?.has(place) === true;
}
