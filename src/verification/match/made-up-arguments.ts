import type { AbiParameter } from "viem";
import { decodeAbiParameters, encodeAbiParameters } from "viem/utils";
import { hexFromBytes, hexToBytes } from "../../core/evm/hex.ts";
import type { ImmutableValue } from "../../store/contracts/verified/deployment-proofs.ts";
import { isPlainValue } from "./code/immutable-value.ts";

/** Most sets of arguments; each costs the node a run of the constructor. */
const MAX_SETS = 48;
const MAX_LEAVES = 64;
const WORD_BYTES = 32;

/** A value in the arguments without parts. */
interface Leaf {
  name: string;
  type: string;
  /** The likeliest first. */
  choices: unknown[];
}

/** Returns encodings of made-up arguments, likeliest first, from values on chain by name and type. Empty for too many parameters. */
export function makeUpArguments(
  parameters: readonly AbiParameter[],
  values: readonly ImmutableValue[],
): Buffer[] {
  const leaves = parameters.flatMap(leavesOf);
  if (leaves.length === 0 || leaves.length > MAX_LEAVES) return [];
  leaves.forEach((leaf, index) => {
    const ordinal = leaves.slice(0, index).filter(({ type }) => type === leaf.type).length;
    const present = presentChoices(leaf, ordinal, values);
    leaf.choices = [...present, ...otherChoices(leaf.type, index)];
  });
  const others = leaves.map(({ type }, index) => otherChoices(type, index));
  const plain = [0, 1].map((set) => others.map((choices) => choices[set % choices.length]));
  const sets = new Set<string>();
  for (const picked of chain([picksOf(leaves).next().value ?? []], plain, picksOf(leaves))) {
    const left = [...picked];
    const built = parameters.map((parameter) => build(parameter, left));
    sets.add(encodeAbiParameters(parameters.map(plainParameter), built));
    if (sets.size === MAX_SETS) break;
  }
  return [...sets].map((hex) => hexToBytes(hex as `0x${string}`));
}

function* chain<Item>(...lists: Iterable<Item>[]): Generator<Item> {
  for (const list of lists) yield* list;
}

/** Yields one choice for each leaf; sets with unlikely choices come later. */
function* picksOf(leaves: readonly Leaf[]): Generator<unknown[]> {
  const worst = leaves.reduce((sum, { choices }) => sum + choices.length - 1, 0);
  for (let rank = 0; rank <= worst; rank++) yield* picksOfRank(leaves, rank);
}

function* picksOfRank([first, ...rest]: readonly Leaf[], rank: number): Generator<unknown[]> {
  if (first === undefined) {
    if (rank === 0) yield [];
    return;
  }
  for (let own = Math.min(rank, first.choices.length - 1); own >= 0; own--) {
    for (const others of picksOfRank(rest, rank - own)) yield [first.choices[own], ...others];
  }
}

type Parts = { element: AbiParameter; count: number } | { components: readonly AbiParameter[] };

/** Returns the parts of an array or struct. An array of any length is made with one element. */
function partsOf(parameter: AbiParameter): Parts | undefined {
  const [, element, size] = /^(.+)\[(\d*)\]$/.exec(parameter.type) ?? [];
  if (element !== undefined) {
    const count = size === "" ? 1 : Math.min(Number(size), MAX_LEAVES + 1);
    return { element: { ...parameter, type: element }, count };
  }
  return "components" in parameter ? { components: parameter.components } : undefined;
}

function leavesOf(parameter: AbiParameter): Leaf[] {
  const parts = partsOf(parameter);
  if (parts === undefined)
    return [{ name: parameter.name ?? "", type: parameter.type, choices: [] }];
  if ("components" in parts) return parts.components.flatMap(leavesOf);
  return Array.from({ length: parts.count }, () => leavesOf(parts.element)).flat();
}

/** Builds the value of a parameter from the leaves at the front of a list, which it removes. */
function build(parameter: AbiParameter, left: unknown[]): unknown {
  const parts = partsOf(parameter);
  if (parts === undefined) return left.shift();
  if ("components" in parts) return parts.components.map((component) => build(component, left));
  return Array.from({ length: parts.count }, () => build(parts.element, left));
}

/** Converts strings to bytes, and removes the names of struct members: they are encoded by their order. */
export function plainParameter(parameter: AbiParameter): AbiParameter {
  const type = parameter.type.replace(/^string/, "bytes").replace(/^function/, "bytes24");
  if (!("components" in parameter)) return { type };
  return { type, components: parameter.components.map(plainParameter) };
}

/** Returns the values on chain that a parameter may have had: first those of its name, then its type, then its order. */
function presentChoices(leaf: Leaf, ordinal: number, values: readonly ImmutableValue[]): unknown[] {
  const seen = new Map<string, number>();
  const ranked = values.flatMap((value) => {
    const order = seen.get(value.type) ?? 0;
    seen.set(value.type, order + 1);
    const rank =
      (plainName(value.name) === plainName(leaf.name) ? 0 : 10_000) +
      (value.type === leaf.type ? 0 : 1000) +
      Math.abs(order - ordinal);
    return valuesIn(leaf.type, value).map((choice) => ({ choice, rank }));
  });
  ranked.sort((left, right) => left.rank - right.rank);
  return [...new Set(ranked.map(({ choice }) => choice))];
}

function plainName(name: string): string {
  return name.replaceAll("_", "").toLowerCase();
}

/** Returns a value in the code as a value of another type; as a text, only after its length. */
function valuesIn(type: string, { type: declared, value }: ImmutableValue): unknown[] {
  const bytes = hexToBytes(value);
  const words = Array.from({ length: Math.floor(bytes.length / WORD_BYTES) }, (_, index) =>
    bytes.subarray(index * WORD_BYTES, (index + 1) * WORD_BYTES),
  );
  if (type === "string" || type === "bytes") {
    if (!/^(?:String\[|Bytes\[|$)/.test(declared)) return [];
    return words.flatMap((word, index) => {
      const behind = bytes.subarray((index + 1) * WORD_BYTES);
      const length = BigInt(hexFromBytes(word));
      return length > behind.length ? [] : [hexFromBytes(behind.subarray(0, Number(length)))];
    });
  }
  if (/^(?:String|Bytes)\[/.test(declared)) return [];
  return words
    .filter((word) => isPlainValue(type, word))
    .map((word) => decodeAbiParameters([{ type }], word)[0]);
}

const [HIGH_AMOUNT, FUTURE_SECONDS] = [10n ** 18n, 4_000_000_000n];

/** Returns values that the code does not contain, greater for later parameters; at least two of each type. */
function otherChoices(type: string, index: number): unknown[] {
  const step = BigInt(index);
  if (type === "bool") return [true, false];
  if (type === "address")
    return [0x5e1f_0000n, 0xca11_0000n].map(
      (base) => `0x${(base + step).toString(16).padStart(40, "0")}`,
    );
  const [, number, bits] = /^(u?int)(\d+)$/.exec(type) ?? [];
  if (number !== undefined) {
    const small = [1n + step, 101n - step, 18n, 0n];
    return Number(bits) < 64 ? small : [...small, HIGH_AMOUNT + step, FUTURE_SECONDS + step];
  }
  const [, size] = /^bytes(\d+)$/.exec(type.replace(/^function$/, "bytes24")) ?? [];
  if (size === undefined) return ["0x41", `0x${"42".repeat(40)}`, "0x"];
  return [0x11, 0x55].map(
    (byte) => `0x${(byte + index).toString(16).padStart(2, "0").repeat(Number(size))}`,
  );
}
