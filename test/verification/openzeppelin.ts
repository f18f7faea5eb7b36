import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const require = createRequire(import.meta.url);

/** A source and everything it imports from OpenZeppelin's package, as the sources of standard JSON, like a build tool's. */
export function withImports(file: string, text: string): Record<string, { content: string }> {
  const sources: Record<string, { content: string }> = { [file]: { content: text } };
  const pending = [file];
  for (let from = pending.pop(); from !== undefined; from = pending.pop()) {
    const content = sources[from]?.content ?? "";
    for (const [, named = ""] of content.matchAll(
      /^import\s(?:[^"';]*\sfrom\s+)?["']([^"']+)["']/gm,
    )) {
      const resolved = named.startsWith(".")
        ? path.posix.join(path.posix.dirname(from), named)
        : named;
      if (sources[resolved] !== undefined) continue;
      sources[resolved] = { content: readFileSync(require.resolve(resolved), "utf8") };
      pending.push(resolved);
    }
  }
  return sources;
}
