import { encodeAbiParameters } from "viem/utils";
import { type Hex, hexConcat } from "../../core/evm/hex.ts";
import type { AbiParameter } from "./abi.ts";
import { nameless } from "./decoding.ts";

const INTEGER = /^-?(?:0x[0-9a-fA-F]{1,64}|\d{1,80})$/;

/** Encodes the data of a call. Numbers are text or numbers, structs are lists. Undefined when the arguments do not fit the types. */
export function encodeCall(
  selector: Hex,
  inputs: readonly AbiParameter[],
  values: readonly unknown[],
): Hex | undefined {
  if (inputs.length !== values.length) return undefined;
  try {
    const read = inputs.map((input, index) =>
      convertJson(input.type, input.components, values[index]),
    );
    return hexConcat(selector, encodeAbiParameters(inputs.map(nameless), read));
  } catch {
    return undefined;
  }
}

/** Converts a JSON value; throws when it does not match its type, as far as viem does not check that itself. */
function convertJson(type: string, components: readonly AbiParameter[], value: unknown): unknown {
  const element = /^(.*)\[\d*\]$/s.exec(type)?.[1];
  if (element !== undefined) {
    return requireList(value).map((item) => convertJson(element, components, item));
  }
  if (type === "tuple") {
    const members = requireList(value);
    if (members.length !== components.length) throw new TypeError("a struct lacks members");
    return components.map((component, index) =>
      convertJson(component.type, component.components, members[index]),
    );
  }
  if (/^u?int/.test(type)) return parseInteger(value);
  if (type === "bool") return parseBoolean(value);
  if (typeof value !== "string") throw new TypeError("no text");
  // Checksums are not checked.
  return type === "address" ? value.toLowerCase() : value;
}

/** Parses an integer; a number beyond JSON's precision must be text. */
function parseInteger(value: unknown): bigint {
  const isExact = typeof value === "string" || Number.isSafeInteger(value);
  const text = String(value).trim();
  if (!isExact || !INTEGER.test(text)) throw new TypeError("no integer");
  return text.startsWith("-") ? -BigInt(text.slice(1)) : BigInt(text);
}

function parseBoolean(value: unknown): boolean {
  if (value === true || value === "true") return true;
  if (value === false || value === "false") return false;
  throw new TypeError("no boolean");
}

function requireList(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError("no list");
  return value;
}
