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
