import { invalid } from "./errors.ts";

const CREATION_CODE = [
  "onchainBytecode",
  "recompiledBytecode",
  "sourceMap",
  "linkReferences",
  "cborAuxdata",
  "transformations",
  "transformationValues",
];

/** Fields of a verified contract beyond the minimal object, and the names below each of them. */
export const FIELDS = {
  abi: [],
  metadata: [],
  sources: [],
  compilation: [
    "language",
    "compiler",
    "compilerVersion",
    "compilerSettings",
    "name",
    "fullyQualifiedName",
  ],
  deployment: ["transactionHash", "blockNumber", "transactionIndex", "deployer"],
  userdoc: [],
  devdoc: [],
  storageLayout: [],
  transientStorageLayout: [],
  sourceIds: [],
  creationBytecode: CREATION_CODE,
  runtimeBytecode: [...CREATION_CODE, "immutableReferences"],
  stdJsonInput: ["language", "sources", "interfaces", "storage_layout_overrides", "settings"],
  stdJsonOutput: ["sources", "contracts"],
  signatures: ["function", "event", "error"],
  proxyResolution: ["isProxy", "proxyType", "implementations"],
  proof: ["construction", "immutables", "values", "runtimeCode", "run", "names", "libraries"],
} as const satisfies Record<string, readonly string[]>;

export type Field = keyof typeof FIELDS;

/** The wanted names below each field; null for all. */
export type Wanted = ReadonlyMap<Field, ReadonlySet<string> | null>;

const MINIMAL = [
  "match",
  "creationMatch",
  "runtimeMatch",
  "chainId",
  "address",
  "verifiedAt",
  "matchId",
];
const NAMES = Object.keys(FIELDS) as Field[];

/** Parses `fields`, or all but those of `omit`. Throws `SourcifyError`. */
export function readFields(fields: string | undefined, omit: string | undefined): Wanted {
  if (fields !== undefined && omit !== undefined) {
    throw invalid("omit", "fields and omit cannot be used together");
  }
  if (omit !== undefined) return allBut(parseNames(omit, "omit"));
  if (fields === undefined) return new Map();
  if (fields === "all") return new Map(NAMES.map((name) => [name, null]));
  const wanted = new Map<Field, Set<string> | null>();
  for (const { field, below } of parseNames(fields, "fields")) {
    const names = wanted.get(field);
    if (below === undefined) wanted.set(field, null);
    else if (names !== null) wanted.set(field, new Set(names).add(below));
  }
  return wanted;
}

interface Name {
  field: Field;
  below: string | undefined;
}

function parseNames(text: string, parameter: string): Name[] {
  return text
    .split(",")
    .filter((name) => !MINIMAL.includes(name))
    .map((name) => {
      const [field = "", below, ...more] = name.split(".");
      const known = Object.hasOwn(FIELDS, field) ? FIELDS[field as Field] : undefined;
      const isKnown = below === undefined || (known as readonly string[])?.includes(below);
      if (!known || !isKnown || more.length > 0) {
        throw invalid(parameter, `${parameter}: there is no field ${name.slice(0, 100)}`);
      }
      return { field: field as Field, below };
    });
}

function allBut(omitted: readonly Name[]): Wanted {
  const wanted = new Map<Field, ReadonlySet<string> | null>(NAMES.map((name) => [name, null]));
  for (const { field, below } of omitted) {
    const names = wanted.get(field);
    if (below === undefined) wanted.delete(field);
    else if (names !== undefined) {
      wanted.set(field, new Set([...(names ?? FIELDS[field])].filter((name) => name !== below)));
    }
  }
  return wanted;
}

/** Returns the object with the wanted names only. */
export function pick(
  value: Readonly<Record<string, unknown>>,
  names: ReadonlySet<string> | null,
): Record<string, unknown> {
  if (names === null) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => names.has(name)));
}
