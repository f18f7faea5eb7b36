import type { Auxdata, CompiledCode } from "../code/bytecode.ts";
import { swarmHash } from "./content-hash.ts";
import { parseCodeMetadata } from "./metadata.ts";

/** The compiler's reported metadata, by its position in the tree of assemblies: the contract, then those it creates. */
export type AssemblyAuxdata = ReadonlyMap<string, Buffer>;

const MAX_DEPTH = 64;

/** Collects `.auxdata` of `evm.legacyAssembly`; empty for compilers that do not report it (up to 0.4.11). */
export function collectAuxdata(assembly: unknown): AssemblyAuxdata {
  const found = new Map<string, Buffer>();
  collect(assembly, "", 0, found);
  return found;
}

function collect(node: unknown, path: string, depth: number, found: Map<string, Buffer>): void {
  if (typeof node !== "object" || node === null || depth > MAX_DEPTH) return;
  const { ".auxdata": auxdata, ".data": data } = node as Record<string, unknown>;
  if (typeof auxdata === "string") found.set(path, Buffer.from(auxdata, "hex"));
  if (typeof data !== "object" || data === null) return;
  for (const [key, child] of Object.entries(data))
    collect(child, `${path}/${key}`, depth + 1, found);
}

/** The runtime code is the first assembly in the data of the creation code. */
export const RUNTIME_ASSEMBLY = "/0";

/** Marks metadata at the end, which needs no proof; elsewhere it may be a copy in data. */
export function markAuxdataAtEnd(code: CompiledCode, reported: AssemblyAuxdata): CompiledCode {
  const value = reported.get(RUNTIME_ASSEMBLY);
  if (value === undefined || !code.bytes.subarray(-value.length).equals(value)) return code;
  return { ...code, auxdata: [{ id: "1", offset: code.bytes.length - value.length, value }] };
}

const [OLD_BEGINNING, OLD_END] = ["a165627a7a72305820", "0029"].map((digits) =>
  Buffer.from(digits, "hex"),
) as [Buffer, Buffer];

/** Returns solc's metadata of a metadata text up to 0.5.8. */
export function oldAuxdata(text: string): Buffer {
  const hash = swarmHash(Buffer.from(text, "utf8"), "bzzr0");
  return Buffer.concat([OLD_BEGINNING, hash, OLD_END]);
}

/** Returns whether the creation code contains metadata with a hash before its end, which only a second compile can find. */
export function hasInnerAuxdata(creation: CompiledCode, reported: AssemblyAuxdata): boolean {
  const values = new Map([...reported.values()].map((value) => [value.toString("hex"), value]));
  const [only] = values.values();
  const hashes = [...values.values()].map((auxdata) => parseCodeMetadata(auxdata)?.hash ?? null);
  if (only === undefined || hashes.every((hash) => hash === null)) return false;
  return values.size > 1 || !creation.bytes.subarray(-only.length).equals(only);
}

/** Marks metadata by two compiles that differ in blanks: bytes planted by an author stay the same. */
export function markAuxdata(
  code: CompiledCode,
  reported: AssemblyAuxdata,
  other: CompiledCode,
  reportedOther: AssemblyAuxdata,
): CompiledCode {
  if (code.bytes.length !== other.bytes.length) return markAuxdataAtEnd(code, reported);
  const found = new Map<number, Buffer>();
  for (const [path, value] of reported) {
    const counterpart = reportedOther.get(path);
    if (counterpart?.length !== value.length || counterpart.equals(value)) continue;
    for (const offset of occurrences(code.bytes, value)) {
      const there = other.bytes.subarray(offset, offset + value.length);
      if (there.equals(counterpart)) found.set(offset, value);
    }
  }
  const auxdata: Auxdata[] = [...found]
    .sort(([left], [right]) => left - right)
    .map(([offset, value], index) => ({ id: String(index + 1), offset, value }));
  return { ...code, auxdata };
}

function* occurrences(bytes: Buffer, value: Buffer): Generator<number> {
  for (let at = bytes.indexOf(value); at >= 0; at = bytes.indexOf(value, at + value.length))
    yield at;
}
