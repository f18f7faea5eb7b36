import type { CompilerOutput } from "./output.ts";

/**
 * The output with each contract under the file that declares it: up to solc 0.4.8 all stand under the name `""`. As it
 * is for every other compiler, and where no file declares a contract of that name.
 */
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

/** Those compilers take no two contracts of one name. */
function declaringFile(sources: ReadonlyMap<string, string>, name: string): string {
  for (const [path, text] of sources) {
    for (const [, declared] of withoutComments(text).matchAll(
      /\b(?:contract|library|interface)\s+([\w$]+)/g,
    )) {
      if (declared === name) return path;
    }
  }
  return "";
}

/** Texts stay: a comment may not begin in one, nor a text in a comment. */
function withoutComments(text: string): string {
  return text.replace(
    /("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g,
    (_match, quoted: string | undefined) => (quoted === undefined ? " " : '""'),
  );
}
