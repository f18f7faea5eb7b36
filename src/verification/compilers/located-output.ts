import type { CompilerOutput } from "./output.ts";

/** Groups contracts by their declaring files: solc up to 0.4.8 has all under `""`. */
export function locateContracts(
  output: CompilerOutput,
  sources: ReadonlyMap<string, string>,
): CompilerOutput {
  if (sources.has("") || !output.names.some(({ path }) => path === "")) return output;
  const names = output.names.map(({ path, name }) => ({
    path: path === "" ? declaringFile(sources, name) : path,
    name,
  }));
  return { ...output, names, contract: (_path, name) => output.contract("", name) };
}

/** Returns the file that declares a contract name, which those compilers allow only once. */
function declaringFile(sources: ReadonlyMap<string, string>, name: string): string {
  for (const [path, text] of sources) {
    for (const [, declared] of withoutComments(text).matchAll(
      /(?<![\w$])(?:contract|library|interface)\s+([\w$]+)/g,
    )) {
      if (declared === name) return path;
    }
  }
  return "";
}

/** Removes comments and empties string literals: each may look like the other. */
function withoutComments(text: string): string {
  return text.replace(
    /("(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*')|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g,
    (_match, quoted: string | undefined) => (quoted === undefined ? " " : '""'),
  );
}
