import { decodeAbiParameters } from "viem/utils";
import { z } from "zod";
import { type Hex, hexLength, hexSlice, lowerHex } from "../../core/evm/hex.ts";
import { listOf } from "../../core/json/record.ts";
import { type AbiEntry, type AbiParameter, hashSignatures, nameless, readAbi } from "./abi.ts";

/** Budget of decoded values in an answer. Small data can encode large values: pointers may repeat, and authors choose the names. */
export type DecodingBudget = ReturnType<typeof createDecodingBudget>;

/** Longest name, type or signature in an answer. */
const LONGEST_TEXT = 1000;
/** Deepest nesting of structs and lists. */
const DEEPEST = 16;
const WORD = 32;
/** Characters of a word and of a value's punctuation. */
const CHARACTERS_OF_A_VALUE = 100;

/** Returns the budget of one answer: decoding that much takes some 30 ms. */
export function createDecodingBudget() {
  return {
    /** Values, lists and structs. */
    values: 3000,
    /** Characters of values, names and types. */
    characters: 1_000_000,
  };
}

/** Returns whether the budget was exceeded. */
export function isOverdrawn({ values, characters }: DecodingBudget): boolean {
  return values < 0 || characters < 0;
}

/** Subtracts the decoded size of data from the budget without decoding it. Returns false if the types or the budget do not fit. */
export function spendOn(parameters: readonly AbiParameter[], data: Hex, budget: DecodingBudget) {
  try {
    const shapes = parameters.map((parameter) => shapeOf(parameter, parameter.type, DEEPEST));
    walkMembers(shapes, 0, { data, size: hexLength(data), budget });
    return true;
  } catch (error) {
    if (error instanceof Misfit) return false;
    throw error;
  }
}

class Misfit extends Error {}

interface Walk {
  data: Hex;
  size: number;
  budget: DecodingBudget;
}

/** Layout of a type. */
interface Shape {
  /** Bytes of the value in place, or of the pointer to it. */
  headSize: number;
  isDynamic: boolean;
  /** Characters of its name and type. */
  label: number;
  content: "word" | "bytes" | { members: Shape[] } | { element: Shape; length: number | undefined };
}

function shapeOf(parameter: AbiParameter, type: string, depth: number): Shape {
  if (depth === 0) throw new Misfit();
  const { name, canonicalType, components } = parameter;
  const list = /^(.*)\[(\d*)\]$/s.exec(type);
  if (list) {
    // Its elements are shown without a name.
    const nameless = { ...parameter, name: "", canonicalType: "" };
    const element = shapeOf(nameless, list[1] ?? "", depth - 1);
    const length = list[2] === "" ? undefined : Number(list[2]);
    const isDynamic = length === undefined || element.isDynamic;
    const content = { element, length };
    return shape(isDynamic, element.headSize * (length ?? 0), content);
  }
  if (type === "tuple") {
    const members = components.map((member) => shapeOf(member, member.type, depth - 1));
    const size = members.reduce((sum, { headSize }) => sum + headSize, 0);
    const isDynamic = members.some((member) => member.isDynamic);
    return shape(isDynamic, size, { members });
  }
  return type === "string" || type === "bytes"
    ? shape(true, 0, "bytes")
    : shape(false, WORD, "word");

  function shape(isDynamic: boolean, size: number, content: Shape["content"]): Shape {
    const label =
      Math.min(name.length, LONGEST_TEXT) + Math.min(canonicalType.length, LONGEST_TEXT);
    return { isDynamic, headSize: isDynamic ? WORD : size, label, content };
  }
}

function walkMembers(shapes: Iterable<Shape>, start: number, walk: Walk): void {
  let head = start;
  for (const shape of shapes) {
    walkValue(shape, shape.isDynamic ? start + numberAt(head, walk) : head, walk);
    head += shape.headSize;
  }
}

function walkValue({ content, label }: Shape, start: number, walk: Walk): void {
  spend(walk.budget, 1, label + CHARACTERS_OF_A_VALUE);
  if (content === "word") numberlessWordAt(start, walk);
  else if (content === "bytes") {
    const length = numberAt(start, walk);
    if (start + WORD + length > walk.size) throw new Misfit();
    spend(walk.budget, 0, 2 * length);
  } else if ("members" in content) walkMembers(content.members, start, walk);
  else if (content.length !== undefined) {
    walkMembers(times(content.element, content.length), start, walk);
  } else {
    walkMembers(times(content.element, numberAt(start, walk)), start + WORD, walk);
  }
}

/** Yields a shape `count` times without allocating a list; the budget ends the loop. */
function* times(shape: Shape, count: number): Generator<Shape> {
  for (let index = 0; index < count; index++) yield shape;
}

function spend(budget: DecodingBudget, values: number, characters: number): void {
  budget.values -= values;
  budget.characters -= characters;
  if (isOverdrawn(budget)) throw new Misfit();
}

function numberlessWordAt(start: number, { size }: Walk): void {
  if (start + WORD > size) throw new Misfit();
}

/** Reads a pointer or a length. Neither can exceed the size of the data, so larger numbers are a misfit. */
function numberAt(start: number, walk: Walk): number {
  numberlessWordAt(start, walk);
  const number = Number(hexSlice(walk.data, start, start + WORD));
  if (number > Number.MAX_SAFE_INTEGER) throw new Misfit();
  return number;
}

// Decodes calls, events and errors by an ABI. Source: the contract ABI specification of Solidity.

/** A value with its name and type: text (also booleans), a list for an array, a list of `DecodedValue` for a struct. */
export const decodedValue = z.object({
  name: z.string(),
  type: z.string(),
  value: z
    .unknown()
    .describe("Text; a list of values for an array, a list of objects like this one for a struct"),
  hashed: z
    .literal(true)
    .optional()
    .describe("The value is the hash of an indexed parameter that does not fit into a topic"),
});
export type DecodedValue = z.output<typeof decodedValue>;

/** Decoded data; its signature as `transfer(address,uint256)`. */
export const decoded = z.object({ signature: z.string(), parameters: z.array(decodedValue) });
export type Decoded = z.output<typeof decoded>;

/** Topics and data of a log. */
export interface LogData {
  topics: readonly Hex[];
  data: Hex;
}

/** The functions and errors of an ABI by selector, its events by the first topic. */
export type AbiIndex = Awaited<ReturnType<typeof indexAbi>>;

const SELECTOR_BYTES = 4;

/** Errors that any contract may return and no ABI lists. */
const BUILT_IN = await indexAbi(
  JSON.stringify([
    { type: "error", name: "Error", inputs: [{ name: "message", type: "string" }] },
    { type: "error", name: "Panic", inputs: [{ name: "code", type: "uint256" }] },
  ]),
);

/** Indexes an ABI in JSON text, in turns with other requests; skips invalid entries. */
export async function indexAbi(abi: string) {
  const functions = new Map<Hex, AbiEntry>();
  const errors = new Map<Hex, AbiEntry>();
  const events = new Map<Hex, AbiEntry>();
  for await (const entry of hashSignatures(readAbi(abi))) {
    const { kind, hash, isAnonymous } = entry;
    if (kind === "event" && !isAnonymous) events.set(hash, entry);
    if (kind === "function") functions.set(hexSlice(hash, 0, SELECTOR_BYTES), entry);
    if (kind === "error") errors.set(hexSlice(hash, 0, SELECTOR_BYTES), entry);
  }
  return { functions, errors, events };
}

/** Decodes a call with the first ABI that has its selector and fits its data; null if none does. */
export function decodeCall(
  abis: readonly AbiIndex[],
  input: Hex,
  budget: DecodingBudget,
): Decoded | null {
  const tables = abis.map(({ functions }) => functions);
  return decodeSelected(tables, input, budget);
}

/** Decodes the data of a failed call: a built-in error, else one of the first ABI that fits; null if none does. */
export function decodeError(
  abis: readonly AbiIndex[],
  data: Hex,
  budget: DecodingBudget,
): Decoded | null {
  const tables = [BUILT_IN, ...abis].map(({ errors }) => errors);
  return decodeSelected(tables, data, budget);
}

/** Decodes a log with the first ABI that has its event and fits its data; null if none does. */
export function decodeLog(
  abis: readonly AbiIndex[],
  { topics, data }: LogData,
  budget: DecodingBudget,
): Decoded | null {
  const [hash, ...indexed] = topics;
  if (hash === undefined) return null;
  for (const { events } of abis) {
    const entry = events.get(hash);
    const parameters = entry && decodeEvent(entry.inputs, indexed, data, budget);
    if (parameters) return { signature: cut(entry.signature), parameters };
  }
  return null;
}

function decodeSelected(
  tables: readonly ReadonlyMap<Hex, AbiEntry>[],
  data: Hex,
  budget: DecodingBudget,
): Decoded | null {
  if (hexLength(data) < SELECTOR_BYTES) return null;
  const selector = hexSlice(data, 0, SELECTOR_BYTES);
  for (const table of tables) {
    const entry = table.get(selector);
    const parameters = entry && decode(entry.inputs, hexSlice(data, SELECTOR_BYTES), budget);
    if (parameters) return { signature: cut(entry.signature), parameters };
  }
  return null;
}

function decodeEvent(
  inputs: readonly AbiParameter[],
  topics: readonly Hex[],
  data: Hex,
  budget: DecodingBudget,
): DecodedValue[] | undefined {
  const inTopics = inputs.filter(({ indexed }) => indexed);
  if (inTopics.length !== topics.length) return undefined;
  const others = inputs.filter(({ indexed }) => !indexed);
  const inData = decode(others, data, budget);
  if (!inData) return undefined;
  let isWhole = true;
  const values = inputs.map((input): DecodedValue | undefined => {
    if (!input.indexed) return inData.shift();
    const topic = topics[inTopics.indexOf(input)] ?? "0x";
    if (/^(?:string|bytes|tuple)$|\]$/.test(input.type))
      return { ...label(input), value: topic, hashed: true };
    const [value] = decode([input], topic, budget) ?? [];
    if (!value) isWhole = false;
    return value;
  });
  return isWhole ? values.filter((value) => value !== undefined) : undefined;
}

/** Decodes data; undefined when it fits neither the types nor the budget. */
export function decode(
  parameters: readonly AbiParameter[],
  data: Hex,
  budget: DecodingBudget,
): DecodedValue[] | undefined {
  if (parameters.length === 0) return [];
  if (!spendOn(parameters, data, budget)) return undefined;
  try {
    const values = decodeAbiParameters(parameters.map(nameless), data) as readonly unknown[];
    return parameters.map((parameter, index) => present(parameter, values[index]));
  } catch {
    return undefined;
  }
}

function label({ name, canonicalType }: AbiParameter): Pick<DecodedValue, "name" | "type"> {
  return { name: cut(name), type: cut(canonicalType) };
}

function present(parameter: AbiParameter, value: unknown): DecodedValue {
  const { type, components } = parameter;
  return { ...label(parameter), value: presentValue(type, components, value) };
}

function presentValue(type: string, components: readonly AbiParameter[], value: unknown): unknown {
  const element = /^(.*)\[\d*\]$/s.exec(type)?.[1];
  if (element !== undefined) {
    return listOf(value).map((item) => presentValue(element, components, item));
  }
  if (type === "tuple") {
    const members = listOf(value);
    return components.map((component, index) => present(component, members[index]));
  }
  return /^(?:address|bytes)/.test(type) ? lowerHex(String(value)) : String(value);
}

function cut(text: string): string {
  return text.slice(0, LONGEST_TEXT);
}
