import { type Hex, hexLength, hexSlice } from "../../core/evm/hex.ts";
import type { AbiParameter } from "./abi.ts";

/** Budget of decoded values in an answer. Small data can encode large values: pointers may repeat, and authors choose the names. */
export type DecodingBudget = ReturnType<typeof createDecodingBudget>;

/** Longest name, type or signature in an answer. */
export const LONGEST_TEXT = 1000;
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
