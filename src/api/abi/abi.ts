import { encodeAbiParameters, keccak256, stringToBytes } from "viem/utils";
import { type Hex, hexConcat } from "../../core/evm/hex.ts";
import { isRecord, listOf } from "../../core/json/record.ts";
import { calmTurn } from "../../core/turns.ts";

// ABIs in compilers' form. Source: the contract ABI specification of Solidity.

/** A parameter of an ABI entry; a struct's has members. */
export interface AbiParameter {
  name: string;
  /** `tuple`, `tuple[2]` for structs. */
  type: string;
  /** The type in a signature: a struct is the tuple of its members. */
  canonicalType: string;
  indexed: boolean;
  components: AbiParameter[];
}

/** A function, an event or an error of an ABI. */
export interface AbiEntry {
  kind: "function" | "event" | "error";
  name: string;
  /** `transfer(address,uint256)` */
  signature: string;
  inputs: AbiParameter[];
  outputs: AbiParameter[];
  /** True if it is `view` or `pure`. */
  isReading: boolean;
  /** True if its logs lack the topic of its signature. */
  isAnonymous: boolean;
}

/** Characters of signatures hashed before a yield to other requests: some 5 ms. */
const AT_ONCE = 50_000;
/** Fixed cost of a hash, in characters. */
const OF_A_HASH = 200;

/** Parses the entries of an ABI in JSON text; skips invalid ones. */
export function readAbi(abi: string): AbiEntry[] {
  return listOf(JSON.parse(abi)).flatMap((item): AbiEntry[] => {
    if (!isRecord(item) || typeof item["name"] !== "string") return [];
    const { name, type: kind } = item;
    if (kind !== "function" && kind !== "event" && kind !== "error") return [];
    const inputs = listOf(item["inputs"]).map((input) => readParameter(input));
    return [
      {
        kind,
        name,
        signature: `${name}(${inputs.map(({ canonicalType }) => canonicalType).join(",")})`,
        inputs,
        outputs: listOf(item["outputs"]).map((output) => readParameter(output)),
        isReading: ["view", "pure"].includes(String(item["stateMutability"])),
        isAnonymous: item["anonymous"] === true,
      },
    ];
  });
}

/** Yields the entries with the hashes of their signatures, in turns with other requests. */
export async function* hashSignatures(
  entries: readonly AbiEntry[],
): AsyncGenerator<AbiEntry & { hash: Hex }> {
  let hashed = 0;
  for (const entry of entries) {
    yield { ...entry, hash: hashOf(entry) };
    hashed += entry.signature.length + OF_A_HASH;
    if (hashed < AT_ONCE) continue;
    hashed = 0;
    await calmTurn();
  }
}

/** Returns keccak-256 of the signature: an event's first topic, and in its first four bytes a selector. */
export function hashOf({ signature }: AbiEntry): Hex {
  return keccak256(stringToBytes(signature));
}

function readParameter(value: unknown): AbiParameter {
  const record = isRecord(value) ? value : {};
  const type = String(record["type"] ?? "");
  const components = listOf(record["components"]).map((component) => readParameter(component));
  const members = components.map(({ canonicalType }) => canonicalType).join(",");
  return {
    name: String(record["name"] ?? ""),
    type,
    canonicalType: type.startsWith("tuple") ? `(${members})${type.slice("tuple".length)}` : type,
    indexed: record["indexed"] === true,
    components,
  };
}

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
  if (/^u?int/.test(type)) {
    const isExact = typeof value === "string" || Number.isSafeInteger(value);
    const text = String(value).trim();
    if (!isExact || !INTEGER.test(text)) throw new TypeError("no integer");
    return text.startsWith("-") ? -BigInt(text.slice(1)) : BigInt(text);
  }
  if (type === "bool") {
    if (value === true || value === "true") return true;
    if (value === false || value === "false") return false;
    throw new TypeError("no boolean");
  }
  if (typeof value !== "string") throw new TypeError("no text");
  // Checksums are not checked.
  return type === "address" ? value.toLowerCase() : value;
}

function requireList(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError("no list");
  return value;
}

interface NamelessType {
  type: string;
  components: NamelessType[];
}

/** Returns the types without names, so that viem returns a list: names may be arbitrary or repeated. */
export function nameless({ type, components }: AbiParameter): NamelessType {
  return { type, components: components.map(nameless) };
}
