import { keccak256, stringToBytes } from "viem/utils";
import type { CodeOutput } from "../../compilers/output.ts";

/** A part of the code filled in by deployment. */
export interface Slot {
  id: string;
  offset: number;
  length: number;
}

/** Metadata in compiled code: `value` includes the two bytes of its length. */
export interface Auxdata {
  id: string;
  offset: number;
  value: Buffer;
}

/** Compiled code, with zeros where deployment fills in values. */
export interface CompiledCode {
  bytes: Buffer;
  /** By `path:Name` of the library; 20 bytes each. */
  libraries: readonly Slot[];
  /** By AST id; only in runtime code. */
  immutables: readonly Slot[];
  /** In ascending order. */
  auxdata: readonly Auxdata[];
}

const PLACEHOLDER_CHARACTERS = 40;

/** Reads compiled code, metadata unmarked; undefined with unexplained placeholders. */
export function readCompiledCode(output: CodeOutput): CompiledCode | undefined {
  let digits = output.object;
  const libraries: Slot[] = [];
  for (const [path, names] of Object.entries(output.linkReferences)) {
    for (const [name, places] of Object.entries(names)) {
      const qualified = `${path}:${name}`;
      const hashed = path === "" ? [qualified, name] : [qualified];
      const placeholders = [
        ...hashed.map((text) => `__$${keccak256(stringToBytes(text)).slice(2, 36)}$__`),
        `__${qualified.slice(0, 36).padEnd(38, "_")}`,
        `__${name.slice(0, 36).padEnd(38, "_")}`,
      ];
      for (const { start, length } of places) {
        const at = start * 2;
        const there = digits.slice(at, at + PLACEHOLDER_CHARACTERS);
        // Up to 0.4.10 already linked places are listed too.
        if (path === "" && /^[0-9a-f]{40}$/.test(there)) continue;
        if (!placeholders.includes(there)) return undefined;
        digits = `${digits.slice(0, at)}${"0".repeat(PLACEHOLDER_CHARACTERS)}${digits.slice(at + PLACEHOLDER_CHARACTERS)}`;
        libraries.push({ id: `${path}:${name}`, offset: start, length });
      }
    }
  }
  if (digits.length % 2 !== 0 || /[^0-9a-f]/.test(digits)) return undefined;
  const immutables = Object.entries(output.immutableReferences).flatMap(([id, places]) =>
    places.map(({ start, length }) => ({ id, offset: start, length })),
  );
  return { bytes: Buffer.from(digits, "hex"), libraries, immutables, auxdata: [] };
}

const MAX_DEPTH = 64;

/** Returns names of pushed libraries by solc's assembly: `path:Name`, up to 0.4.8 `Name`. */
export function librariesIn(assembly: unknown): ReadonlySet<string> {
  const names = new Set<string>();
  collect(assembly, 0, names);
  return names;
}

function collect(node: unknown, depth: number, names: Set<string>): void {
  if (typeof node !== "object" || node === null || depth > MAX_DEPTH) return;
  const { name, value } = node as Record<string, unknown>;
  if (name === "PUSHLIB" && typeof value === "string") names.add(value);
  for (const child of Object.values(node)) collect(child, depth + 1, names);
}
