// Calldata and events by signatures: parsing, encoding and decoding of the contract ABI.

import { hashOf } from "../base/keccak.js";

const WORD = 64;
const SHAPE = /^(.*)\[(\d*)\]$/;

/** `f(uint256 a,(address,bool)[] b)` as an entry of an ABI. Throws on anything else. */
export function parseSignature(text) {
  let at = text.indexOf("(");
  const name = text.slice(0, at).trim();
  const list = () => {
    const inputs = [];
    while (text[at] !== ")") {
      at++;
      const components = text[at] === "(" ? list() : undefined;
      const from = at;
      while (at < text.length && text[at] !== "," && text[at] !== ")") at++;
      const [, shape, rest] = /^\s*([\w[\]]*)(.*)$/.exec(text.slice(from, at));
      const isNamed = components && !/^(?:\[|$)/.test(shape);
      const type = components ? `tuple${isNamed ? "" : shape}` : shape;
      const words = `${isNamed ? shape : ""} ${rest}`.trim().split(/\s+/);
      if (type === "" && text[at] === ")" && inputs.length === 0) break;
      if (!/^[a-z]+\d*(?:\[\d*\])*$/.test(type)) throw new Error(`no type: ${type}`);
      const indexed = words[0] === "indexed";
      inputs.push({ type, components, indexed, name: words[Number(indexed)] ?? "" });
      if (at >= text.length) throw new Error("no closing parenthesis");
    }
    at++;
    return inputs;
  };
  return { name, inputs: list() };
}

/** `f(uint256,(address,bool)[])` */
export function signatureOf({ name, inputs }) {
  return `${name}(${inputs.map(typeOf).join(",")})`;
}

function typeOf({ type, components = [] }) {
  return type.startsWith("tuple") ? `(${components.map(typeOf).join(",")})${type.slice(5)}` : type;
}

/** The first four bytes of calldata for a function. */
export function selectorOf(entry) {
  return hashOf(signatureOf(entry)).slice(0, 10);
}

const isDynamic = ({ type, components }) => {
  const [, element, length] = SHAPE.exec(type) ?? [];
  if (element !== undefined) return length === "" || isDynamic({ type: element, components });
  if (type === "tuple") return components.some(isDynamic);
  return type === "bytes" || type === "string";
};

/** The parts of a list or a struct; undefined of anything else. `length` is that of a list that holds any number. */
function partsOf({ type, components }, length) {
  const [, element, fixed] = SHAPE.exec(type) ?? [];
  if (element === undefined) return type === "tuple" ? components : undefined;
  return Array.from({ length: Number(fixed === "" ? length : fixed) }, () => ({
    type: element,
    components,
    name: "",
  }));
}

/** Characters of hex that the head of a value has. */
function sizeOf(input) {
  if (isDynamic(input)) return WORD;
  const parts = partsOf(input, 0);
  return parts ? parts.reduce((sum, part) => sum + sizeOf(part), 0) : WORD;
}

const wordOf = (number) => BigInt.asUintN(256, BigInt(number)).toString(16).padStart(WORD, "0");

/** Arguments, texts and lists of texts, as hex without `0x`. Throws with words about the first that does not fit. */
export function encode(inputs, values) {
  let heads = "";
  let tails = "";
  const size = inputs.reduce((sum, input) => sum + sizeOf(input), 0);
  if (!Array.isArray(values) || values.length !== inputs.length) {
    throw new Error(`expected a list of ${inputs.length} values`);
  }
  inputs.forEach((input, index) => {
    const encoded = encodeOne(input, values[index]);
    if (isDynamic(input)) {
      heads += wordOf((size + tails.length) / 2);
      tails += encoded;
    } else heads += encoded;
  });
  return heads + tails;
}

function encodeOne(input, value) {
  const { type } = input;
  const parts = partsOf(input, Array.isArray(value) ? value.length : 1);
  if (parts) return (type.endsWith("[]") ? wordOf(parts.length) : "") + encode(parts, value);
  const text = String(value).trim();
  const problem = (wanted) => new Error(`expected ${wanted ?? type}, not “${text}”`);
  if (/^u?int/.test(type)) {
    if (!/^(?:-?\d+|0x[0-9a-f]+)$/i.test(text)) throw problem("a whole number");
    const bits = Number(/\d+$/.exec(type)?.[0] ?? 256);
    const number = BigInt(text);
    const as = type.startsWith("u") ? BigInt.asUintN : BigInt.asIntN;
    if (as(bits, number) !== number) throw problem();
    return wordOf(number);
  }
  if (type === "bool") {
    if (!/^(?:true|false|1|0)$/.test(text)) throw problem("true or false");
    return wordOf(text === "true" || text === "1" ? 1 : 0);
  }
  if (type === "address") {
    if (!/^0x[0-9a-f]{40}$/i.test(text)) throw problem();
    return text.slice(2).toLowerCase().padStart(WORD, "0");
  }
  if (type === "string") return bytesOf(hexOf(new TextEncoder().encode(String(value))));
  if (!/^0x(?:[0-9a-f]{2})*$/i.test(text)) throw problem("hex digits behind 0x");
  const hex = text.slice(2).toLowerCase();
  const size = /^bytes(\d+)$/.exec(type)?.[1];
  if (size === undefined) return bytesOf(hex);
  if (hex.length !== Number(size) * 2) throw problem();
  return hex.padEnd(WORD, "0");
}

const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const bytesOf = (hex) =>
  wordOf(hex.length / 2) + hex.padEnd(Math.ceil(hex.length / WORD) * WORD, "0");

const MOST_VALUES = 2_000;

/**
 * The parameters that hex without `0x` holds, as the API gives decoded ones: `{ name, type, value }`. Throws where it
 * cannot be an encoding of these types.
 */
export function decode(inputs, hex) {
  const budget = { left: MOST_VALUES };
  return decodeAll(inputs, hex, 0, budget);
}

function decodeAll(inputs, hex, start, budget) {
  let at = start;
  return inputs.map((input) => {
    const place = isDynamic(input) ? start + numberAt(hex, at) * 2 : at;
    const value = decodeOne(input, hex, place, budget);
    at += sizeOf(input);
    return { name: input.name ?? "", type: input.type, value };
  });
}

function wordAt(hex, at) {
  const word = hex.slice(at, at + WORD);
  if (word.length !== WORD) throw new Error("the data ends too early");
  return word;
}

function numberAt(hex, at) {
  const number = BigInt(`0x${wordAt(hex, at)}`);
  if (number > hex.length) throw new Error("a place or length behind the end");
  return Number(number);
}

function decodeOne(input, hex, at, budget) {
  if (--budget.left < 0) throw new Error("too many values");
  const { type } = input;
  const isList = type.endsWith("[]");
  const parts = partsOf(input, isList ? numberAt(hex, at) : 0);
  if (parts) {
    const values = decodeAll(parts, hex, at + (isList ? WORD : 0), budget);
    return type === "tuple" ? values : values.map(({ value }) => value);
  }
  if (type === "string" || type === "bytes") {
    const length = numberAt(hex, at) * 2;
    const bytes = hex.slice(at + WORD, at + WORD + length);
    if (bytes.length !== length) throw new Error("the data ends too early");
    return type === "bytes" ? `0x${bytes}` : textOf(bytes);
  }
  return leafOf(type, wordAt(hex, at));
}

function textOf(hex) {
  const bytes = Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
}

function leafOf(type, word) {
  const number = BigInt(`0x${word}`);
  const bits = Number(/\d+$/.exec(type)?.[0] ?? 256);
  if (type.startsWith("bytes")) {
    if (/[^0]/.test(word.slice(bits * 2))) throw new Error("bytes behind the end");
    return `0x${word.slice(0, bits * 2)}`;
  }
  if (type.startsWith("int")) {
    const signed = BigInt.asIntN(256, number);
    if (BigInt.asIntN(bits, signed) !== signed) throw new Error(`no ${type}`);
    return String(signed);
  }
  const most = { address: 160, bool: 1 }[type] ?? bits;
  if (number >> BigInt(most) !== 0n) throw new Error(`no ${type}`);
  if (type === "address") return `0x${word.slice(-40)}`;
  return type === "bool" ? String(number === 1n) : String(number);
}
