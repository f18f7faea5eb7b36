import { ChainError, PeriscopeError } from "../core/errors.ts";

const LIMIT_WORDS = {
  time: "it took too long",
  memory: "it needs too much memory",
  output: "its output is too large",
} as const;

const MAX_LISTED = 10;

function list(introduction: string, items: readonly string[]): string {
  if (items.length === 0) return "";
  const more = items.length > MAX_LISTED ? ` and ${items.length - MAX_LISTED} more` : "";
  return `${introduction} ${items.slice(0, MAX_LISTED).join(", ")}${more}`;
}

const WRONG_VERSION = "Compiler version does not match, please try again.";
const WRONG_NAME = "Wrong contract name, please try again.";
const COMPILER_ERROR = "There was an error compiling your contract";

/** Sentences of failed verifications, the reference's with details, by the code of the cause. */
const SENTENCES = {
  "compiler-unavailable": (version: { requested: string; nearest: readonly string[] }) =>
    `${WRONG_VERSION} ${version.requested} is not available here${list("; the nearest are", version.nearest)}.`,
  "compiler-version": ({ requested, onChain }: { requested: string; onChain: string }) =>
    `${WRONG_VERSION} The code on chain was compiled by ${onChain}, the request names ${requested}.`,
  "compiler-broken": ({ version, detail }: { version: string; detail: string }) =>
    `${COMPILER_ERROR}: this server's file of ${version} cannot be used (${detail}). Its operator should replace it, or delete it where compilers are fetched.`,
  "compiler-error": ({ message }: { message: string }) =>
    message ? `${COMPILER_ERROR}: ${message}` : `${COMPILER_ERROR}.`,
  "compiler-limit": ({ limit, bound }: { limit: "time" | "memory" | "output"; bound: string }) =>
    `${COMPILER_ERROR}: ${LIMIT_WORDS[limit]} (${bound}).`,
  bytecode: ({ detail }: { detail: string }) =>
    `Bytecode does not match, please try again. ${detail}`,
  "constructor-arguments": ({ detail }: { detail: string }) =>
    `Constructor arguments do not match, please try again. ${detail}`,
  "constructor-arguments-unknown": () =>
    "Autodetection of constructor arguments failed. Please try to input constructor arguments manually.",
  "contract-name": (name: { requested: string; available: readonly string[] }) =>
    `${WRONG_NAME} There is no ${name.requested}${list("; the sources define", name.available)}.`,
  "abstract-contract": ({ name }: { name: string }) =>
    `${WRONG_NAME} ${name} is abstract or an interface: it has no code.`,
  "invalid-json": ({ detail }: { detail: string }) => `Invalid JSON file. ${detail}`,
  "no-metadata": () => "Sourcify did not return metadata",
  "missing-sources": ({ paths }: { paths: readonly string[] }) =>
    `Source files are missing or differ from what the metadata names:${list("", paths)}.`,
  "empty-source": () => "Empty contract source code.",
  "no-code": () => "Address is not a smart-contract",
  "not-indexed": () =>
    "The contract creation transaction has not been indexed yet. Please wait a few minutes and try again.",
  "deployed-code": () => "Deployed bytecode does not correspond to contract creation code.",
  node: () => "Unable to verify: the node of the chain does not answer. Please try again.",
  "queue-full": () =>
    "Unable to verify: too many verifications wait, and this one had to make room. Please try again later.",
  crashed: () => "Unable to verify: unknown error. The verification broke off twice.",
};

type Sentences = typeof SENTENCES;

export type VerificationFailureCode = keyof Sentences;

/** Cause of a failed verification: a code, and the data of its sentence. */
export type VerificationFailure = {
  [Code in VerificationFailureCode]: {
    code: Code;
  } & (Parameters<Sentences[Code]> extends [infer Data] ? Data : unknown);
}[VerificationFailureCode];

/** Thrown when a verification ends without a match; `failure` is the cause. */
export class VerificationError extends PeriscopeError {
  readonly failure: VerificationFailure;

  constructor(failure: VerificationFailure, options?: ErrorOptions) {
    super(failure.code, reasonOf(failure), options);
    this.failure = failure;
  }
}

/** Rethrows an error, that of a node as a `VerificationError` of code `node`. */
export function failByNode(error: unknown): never {
  if (!(error instanceof ChainError)) throw error;
  throw new VerificationError({ code: "node" }, { cause: error });
}

const MAX_REASON_CHARACTERS = 1000;

/** Returns a failure's sentence: one line, at most 1,000 characters. */
export function reasonOf(failure: VerificationFailure): string {
  const sentence: (data: never) => string = SENTENCES[failure.code];
  const text = sentence(failure as never)
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
  return text.length > MAX_REASON_CHARACTERS
    ? `${text.slice(0, MAX_REASON_CHARACTERS - 1)}…`
    : text;
}
