import { decodeAbiParameters, keccak256, stringToBytes } from "viem/utils";
import { type Hex, hexLength, hexSlice, lowerHex } from "../core/hex.ts";
import { isRecord } from "../core/record.ts";

// Calls, events and errors in the words of an ABI. Source: the contract ABI specification of Solidity.

/** A value with its name and type: text (also booleans), a list for an array, a list of `DecodedValue` for a struct. */
export interface DecodedValue {
  name: string;
  type: string;
  value: unknown;
  /** The type does not fit into a topic: `value` is the hash of the indexed event parameter. */
  hashed?: true;
}

/** What data means. */
export interface Decoded {
  /** `transfer(address,uint256)` */
  signature: string;
  parameters: DecodedValue[];
}

/** Topics and data of a log. */
export interface LogData {
  topics: readonly Hex[];
  data: Hex;
}

/** A parameter of an ABI entry; that of a struct has its members. */
export interface AbiParameter {
  name: string;
  type: string;
  indexed: boolean;
  components: AbiParameter[];
}

/** An entry of an ABI. */
export interface AbiEntry {
  signature: string;
  inputs: AbiParameter[];
  outputs: AbiParameter[];
  /** Whether it changes nothing. */
  isReading: boolean;
}

/** The entries of an ABI by the hashes that calls, logs and errors name them by. */
export interface AbiIndex {
  /** By selector. */
  functions: ReadonlyMap<Hex, AbiEntry>;
  errors: ReadonlyMap<Hex, AbiEntry>;
  /** By the first topic. */
  events: ReadonlyMap<Hex, AbiEntry>;
}

const SELECTOR_BYTES = 4;
/** No honest type is nested deeper, or has arrays with more elements of fixed number. */
const DEEPEST = 16;
const MOST_PLACES = 4096;

/** Errors of every contract, which its ABI does not list. */
const BUILT_IN = indexAbi(
  JSON.stringify([
    { type: "error", name: "Error", inputs: [{ name: "message", type: "string" }] },
    { type: "error", name: "Panic", inputs: [{ name: "code", type: "uint256" }] },
  ]),
);

/** Indexes an ABI given as JSON text; skips whatever is no entry of an ABI. */
export function indexAbi(abi: string): AbiIndex {
  const functions = new Map<Hex, AbiEntry>();
  const errors = new Map<Hex, AbiEntry>();
  const events = new Map<Hex, AbiEntry>();
  for (const item of asList(JSON.parse(abi))) {
    if (!isRecord(item) || typeof item["name"] !== "string") continue;
    const inputs = asList(item["inputs"]).map((input) => readParameter(input));
    const signature = `${item["name"]}(${inputs.map(typeOf).join(",")})`;
    const hash = keccak256(stringToBytes(signature));
    const outputs = asList(item["outputs"]).map((output) => readParameter(output));
    const isReading = ["view", "pure"].includes(String(item["stateMutability"]));
    const entry = { signature, inputs, outputs, isReading };
    if (item["type"] === "event" && item["anonymous"] !== true) events.set(hash, entry);
    if (item["type"] === "function") functions.set(hexSlice(hash, 0, SELECTOR_BYTES), entry);
    if (item["type"] === "error") errors.set(hexSlice(hash, 0, SELECTOR_BYTES), entry);
  }
  return { functions, errors, events };
}

/** Decodes a call with the first ABI that has its selector and fits its data; null if none does. */
export function decodeCall(abis: readonly AbiIndex[], input: Hex): Decoded | null {
  return decodeSelected(
    abis.map(({ functions }) => functions),
    input,
  );
}

/**
 * Decodes what a failed call returned: as an error of every contract, else with the first ABI that fits; null if none
 * does.
 */
export function decodeError(abis: readonly AbiIndex[], data: Hex): Decoded | null {
  return decodeSelected(
    [BUILT_IN, ...abis].map(({ errors }) => errors),
    data,
  );
}

/** Decodes a log with the first ABI that has its event and fits its data; null if none does. */
export function decodeLog(abis: readonly AbiIndex[], { topics, data }: LogData): Decoded | null {
  const [hash, ...indexed] = topics;
  if (hash === undefined) return null;
  for (const { events } of abis) {
    const entry = events.get(hash);
    const parameters = entry && decodeEvent(entry.inputs, indexed, data);
    if (parameters) return { signature: entry.signature, parameters };
  }
  return null;
}

function decodeSelected(tables: readonly ReadonlyMap<Hex, AbiEntry>[], data: Hex): Decoded | null {
  if (hexLength(data) < SELECTOR_BYTES) return null;
  const selector = hexSlice(data, 0, SELECTOR_BYTES);
  for (const table of tables) {
    const entry = table.get(selector);
    const parameters = entry && decode(entry.inputs, hexSlice(data, SELECTOR_BYTES));
    if (parameters) return { signature: entry.signature, parameters };
  }
  return null;
}

function decodeEvent(
  inputs: readonly AbiParameter[],
  topics: readonly Hex[],
  data: Hex,
): DecodedValue[] | undefined {
  const inTopics = inputs.filter(({ indexed }) => indexed);
  if (inTopics.length !== topics.length) return undefined;
  const inData = decode(
    inputs.filter(({ indexed }) => !indexed),
    data,
  );
  if (!inData) return undefined;
  let isWhole = true;
  const values = inputs.map((input): DecodedValue | undefined => {
    if (!input.indexed) return inData.shift();
    const topic = topics[inTopics.indexOf(input)] ?? "0x";
    const { name, type } = input;
    if (!fitsTopic(type)) return { name, type: typeOf(input), value: topic, hashed: true };
    const [value] = decode([input], topic) ?? [];
    if (!value) isWhole = false;
    return value;
  });
  return isWhole ? values.filter((value) => value !== undefined) : undefined;
}

function fitsTopic(type: string): boolean {
  return !/^(?:string|bytes|tuple)$|\]$/.test(type);
}

/** Decodes data; undefined when it does not fit the types. */
export function decode(parameters: readonly AbiParameter[], data: Hex): DecodedValue[] | undefined {
  if (parameters.length === 0) return [];
  if (!isBounded(parameters, DEEPEST)) return undefined;
  try {
    // viem bounds pointers to the same place, so small data cannot become large values.
    const values = decodeAbiParameters(parameters.map(nameless), data) as readonly unknown[];
    return parameters.map((parameter, index) => present(parameter, values[index]));
  } catch {
    return undefined;
  }
}

/** Elements of size zero would let small data stand for lists of any length. */
function isBounded(parameters: readonly AbiParameter[], depth: number): boolean {
  return parameters.every(({ type, components }) => {
    const places = [...type.matchAll(/\[(\d+)\]/g)].map(([, count]) => Number(count));
    const product = places.reduce((all, count) => all * count, 1);
    const isTuple = type.startsWith("tuple");
    if (depth === 0 || product === 0 || product > MOST_PLACES) return false;
    if (type.split("[").length > DEEPEST || (isTuple && components.length === 0)) return false;
    return !isTuple || isBounded(components, depth - 1);
  });
}

function present(parameter: AbiParameter, value: unknown): DecodedValue {
  const { name, type, components } = parameter;
  return { name, type: typeOf(parameter), value: presentValue(type, components, value) };
}

function presentValue(type: string, components: readonly AbiParameter[], value: unknown): unknown {
  const element = /^(.*)\[\d*\]$/s.exec(type)?.[1];
  if (element !== undefined) {
    return asList(value).map((item) => presentValue(element, components, item));
  }
  if (type === "tuple") {
    const members = asList(value);
    return components.map((component, index) => present(component, members[index]));
  }
  return /^(?:address|bytes)/.test(type) ? lowerHex(String(value)) : String(value);
}

export interface NamelessType {
  type: string;
  components: NamelessType[];
}

/** The types without names, so that viem gives a list: names may be anything, even the same twice. */
export function nameless({ type, components }: AbiParameter): NamelessType {
  return { type, components: components.map(nameless) };
}

function readParameter(value: unknown): AbiParameter {
  const record = isRecord(value) ? value : {};
  return {
    name: String(record["name"] ?? ""),
    type: String(record["type"] ?? ""),
    indexed: record["indexed"] === true,
    components: asList(record["components"]).map((component) => readParameter(component)),
  };
}

/** A struct is the tuple of its members, `tuple[2][]` an array of such. */
function typeOf({ type, components }: AbiParameter): string {
  return type.startsWith("tuple")
    ? `(${components.map(typeOf).join(",")})${type.slice("tuple".length)}`
    : type;
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
