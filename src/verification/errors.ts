import { PeriscopeError } from "../core/errors.ts";

/** Cause of a failed verification: a code, and the data of its sentence. */
export type VerificationFailure =
  | { code: "compiler-unavailable"; requested: string; nearest: readonly string[] }
  | { code: "compiler-version"; requested: string; onChain: string }
  | { code: "compiler-broken"; version: string; detail: string }
  | { code: "compiler-error"; message: string }
  | { code: "compiler-limit"; limit: "time" | "memory" | "output"; bound: string }
  | { code: "bytecode"; detail: string }
  | { code: "constructor-arguments"; detail: string }
  | { code: "constructor-arguments-unknown" }
  | { code: "contract-name"; requested: string; available: readonly string[] }
  | { code: "abstract-contract"; name: string }
  | { code: "invalid-json"; detail: string }
  | { code: "no-metadata" }
  | { code: "missing-sources"; paths: readonly string[] }
  | { code: "empty-source" }
  | { code: "no-code" }
  | { code: "not-indexed" }
  | { code: "deployed-code" }
  | { code: "node" }
  | { code: "queue-full" }
  | { code: "crashed" };

export type VerificationFailureCode = VerificationFailure["code"];

/** Thrown when a verification ends without a match; `failure` is the cause. */
export class VerificationError extends PeriscopeError {
  readonly failure: VerificationFailure;

  constructor(failure: VerificationFailure, options?: ErrorOptions) {
    super(failure.code, reasonOf(failure), options);
    this.failure = failure;
  }
}

const MAX_REASON_CHARACTERS = 1000;

/** Returns a failure's sentence, the reference's with details: one line, at most 1,000 characters. */
export function reasonOf(failure: VerificationFailure): string {
  const text = sentence(failure)
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
  return text.length > MAX_REASON_CHARACTERS
    ? `${text.slice(0, MAX_REASON_CHARACTERS - 1)}…`
    : text;
}

const WRONG_VERSION = "Compiler version does not match, please try again.";
const WRONG_NAME = "Wrong contract name, please try again.";
const COMPILER_ERROR = "There was an error compiling your contract";

function sentence(failure: VerificationFailure): string {
  switch (failure.code) {
    case "compiler-unavailable":
      return `${WRONG_VERSION} ${failure.requested} is not available here${list("; the nearest are", failure.nearest)}.`;
    case "compiler-version":
      return `${WRONG_VERSION} The code on chain was compiled by ${failure.onChain}, the request names ${failure.requested}.`;
    case "compiler-broken":
      return `${COMPILER_ERROR}: this server's file of ${failure.version} cannot be used (${failure.detail}). Its operator should replace it, or delete it where compilers are fetched.`;
    case "compiler-error":
      return failure.message ? `${COMPILER_ERROR}: ${failure.message}` : `${COMPILER_ERROR}.`;
    case "compiler-limit":
      return `${COMPILER_ERROR}: ${LIMIT_WORDS[failure.limit]} (${failure.bound}).`;
    case "bytecode":
      return `Bytecode does not match, please try again. ${failure.detail}`;
    case "constructor-arguments":
      return `Constructor arguments do not match, please try again. ${failure.detail}`;
    case "constructor-arguments-unknown":
      return "Autodetection of constructor arguments failed. Please try to input constructor arguments manually.";
    case "contract-name":
      return `${WRONG_NAME} There is no ${failure.requested}${list("; the sources define", failure.available)}.`;
    case "abstract-contract":
      return `${WRONG_NAME} ${failure.name} is abstract or an interface: it has no code.`;
    case "invalid-json":
      return `Invalid JSON file. ${failure.detail}`;
    case "no-metadata":
      return "Sourcify did not return metadata";
    case "missing-sources":
      return `Source files are missing or differ from what the metadata names:${list("", failure.paths)}.`;
    case "empty-source":
      return "Empty contract source code.";
    case "no-code":
      return "Address is not a smart-contract";
    case "not-indexed":
      return "The contract creation transaction has not been indexed yet. Please wait a few minutes and try again.";
    case "deployed-code":
      return "Deployed bytecode does not correspond to contract creation code.";
    case "node":
      return "Unable to verify: the node of the chain does not answer. Please try again.";
    case "queue-full":
      return "Unable to verify: too many verifications wait, and this one had to make room. Please try again later.";
    case "crashed":
      return "Unable to verify: unknown error. The verification broke off twice.";
  }
}

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
