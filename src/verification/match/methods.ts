import type { AbiEntry } from "../compilers/output.ts";

/** Functions' names for explorers, by selector (8 hex digits): `transfer(address to, uint256 amount)`. */
export type MethodNames = Record<string, string>;

/** Longer names are cut: they are repeated in every transaction that calls them. */
const MAX_CHARACTERS = 1000;

interface Parameter {
  name?: string;
  type: string;
  components?: Parameter[];
}

/** Returns the names of all functions of an ABI. `identifiers` are the compiler's selectors by canonical signature. */
export function methodNames(
  abi: readonly AbiEntry[],
  identifiers: Readonly<Record<string, string>>,
): MethodNames {
  const names: MethodNames = {};
  for (const entry of abi) {
    if (entry.type !== "function" || typeof entry["name"] !== "string") continue;
    const inputs = (Array.isArray(entry["inputs"]) ? entry["inputs"] : []) as Parameter[];
    const selector = identifiers[`${entry["name"]}(${inputs.map(typeOf).join(",")})`];
    if (selector === undefined) continue;
    const parameters = inputs.map((input) => [typeOf(input), input.name].filter(Boolean).join(" "));
    const name = `${entry["name"]}(${parameters.join(", ")})`;
    names[selector.replace(/^0x/, "").padStart(8, "0")] = name.slice(0, MAX_CHARACTERS);
  }
  return names;
}

/** Returns the canonical type: a tuple is written as its components. */
function typeOf({ type, components }: Parameter): string {
  if (!type.startsWith("tuple") || components === undefined) return type;
  return `(${components.map(typeOf).join(",")})${type.slice("tuple".length)}`;
}
