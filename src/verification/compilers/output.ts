import { z } from "zod";
import { isRecord } from "../../core/json/record.ts";
import { recordOf } from "../../core/json/record-schema.ts";
import { VerificationError } from "../errors.ts";

const Hexadecimal = z
  .string()
  .default("")
  .transform((text) => (text.startsWith("0x") ? text.slice(2) : text));

const Ranges = z.array(z.object({ start: z.number(), length: z.number() }));

type References = Record<string, Record<string, z.output<typeof Ranges>>>;

/** Converts library references: up to 0.4.10 solc names no files. */
function byFile(references: Record<string, References[string] | z.output<typeof Ranges>>) {
  const files = new Map<string, References[string]>();
  for (const [key, places] of Object.entries(references)) {
    if (Array.isArray(places)) files.set("", { ...files.get(""), [key]: places });
    else files.set(key, places);
  }
  return Object.fromEntries(files);
}

const Code = z.object({
  /** Hex digits, with a placeholder of 40 characters for each library address. */
  object: Hexadecimal,
  /** Places of library addresses, by file and library name. */
  linkReferences: recordOf(z.union([recordOf(Ranges), Ranges]))
    .transform(byFile)
    .default({}),
  /** Places of immutables, by the AST id of the variable. */
  immutableReferences: recordOf(Ranges).default({}),
  /** Compressed, in the form of solc and vyper. */
  sourceMap: z.string().optional().catch(undefined),
  /** Since 0.8.5: offsets of source functions; null for a merged one. */
  functionDebugData: recordOf(
    z.object({ entryPoint: z.number().nullish(), id: z.number().nullish() }),
  )
    .optional()
    .catch(undefined),
});

const Evm = z.object({
  legacyAssembly: z.unknown().optional(),
  bytecode: Code.prefault({}),
  deployedBytecode: Code.prefault({}),
  methodIdentifiers: recordOf(z.string()).default({}),
});

function hasType(value: unknown): boolean {
  return isRecord(value) && typeof value["type"] === "string";
}

const ContractOutput = z.object({
  // An object schema would put `type` first; the ABI stays in the compiler's form.
  abi: z.array(z.custom<{ type: string; [field: string]: unknown }>(hasType)).default([]),
  devdoc: z.unknown().optional(),
  userdoc: z.unknown().optional(),
  storageLayout: z.unknown().optional(),
  transientStorageLayout: z.unknown().optional(),
  /** For vyper: positions in storage and behind the code. */
  layout: z.unknown().optional(),
  metadata: z.string().default(""),
  evm: Evm.prefault({}),
});

const SourceIds = recordOf(z.object({ id: z.number() })).catch({});

/** The output for one contract, of solc or vyper. */
export type ContractOutput = z.output<typeof ContractOutput>;
/** Code of one contract, with the places that deployment fills in. */
export type CodeOutput = z.output<typeof Code>;
export type AbiEntry = ContractOutput["abi"][number];

const Message = z.object({
  severity: z.string().optional(),
  message: z.string().optional(),
  formattedMessage: z.string().optional(),
});

/** The output of a compiler. Each contract is parsed on demand. */
export interface CompilerOutput {
  names: { path: string; name: string }[];
  sourceIds: Readonly<Record<string, { id: number }>>;
  /** Syntax trees of the files, where requested; of solc up to 0.4.11 in the older form. */
  trees: readonly unknown[];
  /** Throws `VerificationError` when the contract does not exist. */
  contract(path: string, name: string): ContractOutput;
}

/** Parses standard JSON output. Throws `VerificationError` of code `compiler-error` for the first error. */
export function readOutput(text: string): CompilerOutput {
  const output: unknown = parse(text);
  const errors = isRecord(output) && Array.isArray(output["errors"]) ? output["errors"] : [];
  for (const entry of errors) {
    const error = Message.safeParse(entry);
    if (error.success && error.data.severity === "error") {
      throw new VerificationError({ code: "compiler-error", message: firstLine(error.data) });
    }
  }
  const files = isRecord(output) && isRecord(output["contracts"]) ? output["contracts"] : {};
  const contracts = new Map(
    Object.entries(files).map(([path, named]) => [
      path,
      new Map(Object.entries(isRecord(named) ? named : {})),
    ]),
  );
  const sources = isRecord(output) && isRecord(output["sources"]) ? output["sources"] : {};
  return {
    sourceIds: SourceIds.parse(sources),
    trees: Object.values(sources).map((source) =>
      isRecord(source) ? (source["ast"] ?? source["legacyAST"]) : undefined,
    ),
    names: [...contracts].flatMap(([path, named]) =>
      [...named.keys()].map((name) => ({ path, name })),
    ),
    contract: (path, name) => {
      const found = ContractOutput.safeParse(contracts.get(path)?.get(name));
      if (found.success) return found.data;
      throw new VerificationError({
        code: "compiler-error",
        message: "the compiler's answer is malformed",
      });
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new VerificationError(
      { code: "compiler-error", message: "the compiler's answer is not JSON" },
      { cause: error },
    );
  }
}

function firstLine({ formattedMessage, message }: z.output<typeof Message>): string {
  const text = formattedMessage ?? message ?? "";
  const line = text.split("\n").find((candidate) => candidate.trim() !== "") ?? "";
  // Old compilers have only "Internal exception" in the first line and the cause in the message.
  return line === "" ? (message ?? "") : line;
}

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
