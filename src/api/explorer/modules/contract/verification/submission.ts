import { parseInteger } from "../../../../../core/decimal.ts";
import { type Address, isAddress, lowerAddress } from "../../../../../core/evm/address.ts";
import { isRecord } from "../../../../../core/json/record.ts";
import { VerificationError } from "../../../../../verification/errors.ts";
import type { Submission } from "../../../../../verification/jobs/submit.ts";
import type { GivenLibrary, VerificationRequest } from "../../../../../verification/request.ts";
import {
  type Input,
  type InputValue,
  lookUp,
  type UploadedFile,
} from "../../../../http/input/form.ts";
import type { Context } from "../../../action.ts";
import { type Failure, failed, ok, verbatim } from "../../../envelope.ts";
import { LICENSES } from "../../../present/verified-contract.ts";
import { presentSource } from "../sources.ts";

// Fields of clients' verification requests, under the names of each client. Source: docs/wire.md, "Submissions".

const DEFAULT_RUNS = 200;
const MAXIMUM_LIBRARIES = 10;

/** Clients' names for the same value; the first non-empty one counts. */
export const SPELLINGS = {
  address: ["addressHash", "address", "contractaddress"],
  source: ["contractSourceCode", "sourceCode"],
  name: ["name", "contractname"],
  compilerVersion: ["compilerVersion"],
  optimization: ["optimization", "optimizationUsed"],
  runs: ["optimizationRuns", "runs"],
  evmVersion: ["evmVersion"],
  // The second is Etherscan's own typing error, which some clients use alone.
  constructorArguments: ["constructorArguments", "constructorArguements"],
  autodetect: ["autodetectConstructorArguments"],
  license: ["licenseType"],
  viaIR: ["viaIR"],
} as const;

/** Returns the text of the first non-empty name, also from a file; undefined without one. Converts an object to JSON. */
export function given(sent: Input, names: readonly string[]): string | undefined {
  for (const name of names) {
    const text = toText(lookUp(sent, name));
    if (text !== undefined && text !== "") return text;
  }
  return undefined;
}

/** Returns whether a value was sent as a file. */
export function isFile(value: unknown): value is UploadedFile {
  if (!isRecord(value)) return false;
  return typeof value["fileName"] === "string" && typeof value["content"] === "string";
}

function toText(value: InputValue | undefined): string | undefined {
  if (value === undefined || typeof value === "string") return value;
  return isFile(value) ? value.content : JSON.stringify(value);
}

/** Returns name, compiler and source of a contract in one file; empty where they are absent. */
export function readOneFile(sent: Input) {
  return {
    name: given(sent, SPELLINGS.name) ?? "",
    compilerVersion: given(sent, SPELLINGS.compilerVersion) ?? "",
    source: given(sent, SPELLINGS.source) ?? "",
  };
}

/** Returns whether the optimiser ran; a failure of the named parameter for an invalid text. */
export function readOptimization(sent: Input, parameter: string): boolean | Failure {
  const value = given(sent, SPELLINGS.optimization) ?? "";
  if (value === "1" || value === "true") return true;
  if (value === "0" || value === "false") return false;
  const text = `${parameter} has invalid format`;
  return failed("invalid-parameter", text, { result: text, parameter });
}

/** Returns the settings that were sent with one Solidity file; `optimized` is the parsed `optimization`. */
export function flattenedSettings(sent: Input, optimized: boolean) {
  const runs = parseInteger(given(sent, SPELLINGS.runs) ?? "");
  const libraries = readLibraries(sent);
  return {
    optimizer: {
      enabled: optimized,
      runs: runs === undefined || runs < 0n ? DEFAULT_RUNS : Number(runs),
    },
    ...readEvmVersion(sent),
    ...(given(sent, SPELLINGS.viaIR) === "true" && { viaIR: true }),
    ...(libraries.length > 0 && { libraries }),
  };
}

/** Returns the EVM version, unless it is left to the compiler. */
export function readEvmVersion(sent: Input): { evmVersion?: string } {
  const evmVersion = given(sent, SPELLINGS.evmVersion);
  return evmVersion === undefined || evmVersion.toLowerCase() === "default" ? {} : { evmVersion };
}

/** Returns the fields of every verification; absent constructor arguments come from the chain. */
export function commonFields(sent: Input) {
  const constructorArguments = given(sent, SPELLINGS.constructorArguments);
  const autodetect = given(sent, SPELLINGS.autodetect) === "true";
  const license = parseLicense(given(sent, SPELLINGS.license));
  return {
    ...(constructorArguments !== undefined && !autodetect && { constructorArguments }),
    ...(license !== undefined && { license }),
  };
}

/** Returns the number of a licence, by name or number; undefined for an unknown one. */
function parseLicense(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(parseInteger(text) ?? 0n);
  if (LICENSES[number - 1] !== undefined) return number;
  const index = LICENSES.findIndex((name) => name.toLowerCase() === text.toLowerCase());
  return Math.max(index, 0) + 1;
}

/** Returns the libraries of `libraryname1` with `libraryaddress1`, or `library1Name` with `library1Address`; ignores incomplete pairs. */
function readLibraries(sent: Input): GivenLibrary[] {
  const numbers = Array.from({ length: MAXIMUM_LIBRARIES }, (_, index) => index + 1);
  return numbers.flatMap((number) => {
    const name = lookUp(sent, `libraryname${number}`) ?? lookUp(sent, `library${number}Name`);
    const address =
      lookUp(sent, `libraryaddress${number}`) ?? lookUp(sent, `library${number}Address`);
    return typeof name === "string" && name !== "" && isAddress(address)
      ? [{ name, address: lowerAddress(address) }]
      : [];
  });
}

// The actions that wait for the end of the verification, and helpers shared with the one that does not.

/** Wait before an answer with the guid instead of the contract. */
const PATIENCE_MS = 25_000;
const INVALID_ADDRESS = "Invalid address hash";

export const ALREADY_VERIFIED = "Smart-contract already verified.";
export const NO_CODE = "Address is not a smart-contract";
const WENT_WRONG = "Something went wrong while publishing the contract";

export const SOURCES_TOO_LARGE = "the sources are larger than 5 MB";

/** Parses the address of a submission; fails when it or another required value is missing or the address is invalid. */
export function readRequired(
  sent: Input,
  names: Readonly<Record<string, readonly string[]>>,
): Address | Failure {
  const address = given(sent, SPELLINGS.address);
  const parameter = "addressHash";
  if (address === undefined) {
    return failed("missing-parameter", "addressHash is required.", { httpStatus: 400, parameter });
  }
  const absent = firstAbsent(sent, names);
  if (absent !== undefined) {
    return failed("missing-parameter", `${absent} is required.`, { parameter: absent });
  }
  return isAddress(address)
    ? lowerAddress(address)
    : failed("invalid-parameter", INVALID_ADDRESS, { parameter });
}

/** Returns the first name that is missing under all its spellings. */
export function firstAbsent(
  sent: Input,
  names: Readonly<Record<string, readonly string[]>>,
): string | undefined {
  return Object.entries(names).find(([, spellings]) => given(sent, spellings) === undefined)?.[0];
}

/** Returns whether the contract is fully verified; false if the node is needed and does not answer: `submit` then reports that. */
export async function isAlreadyVerified(
  verifier: Context["verifier"],
  address: Address,
): Promise<boolean> {
  try {
    return await verifier.isFullyVerified(address);
  } catch (error) {
    if (isNodeUnreachable(error)) return false;
    throw error;
  }
}

/** Submits a request. The outcome is `node-unreachable` if a check needs the node and it does not answer. */
export async function submit(
  verifier: Context["verifier"],
  request: VerificationRequest,
  client: string,
): Promise<Submission | { outcome: "node-unreachable" }> {
  try {
    return await verifier.submit(request, client);
  } catch (error) {
    if (isNodeUnreachable(error)) return { outcome: "node-unreachable" };
    throw error;
  }
}

/** Returns whether a submission failed because the node does not answer. */
export function isNodeUnreachable(error: unknown): boolean {
  return error instanceof VerificationError && error.failure.code === "node";
}

export const LIMIT_TEXTS = {
  "queue-full": "Too many verifications wait already, please try again later",
  "client-full": "Too many of your verifications wait already, please try again later",
  "too-many": "Too many verifications of this contract within an hour, please try again later",
} as const;

const REFUSALS = {
  "already-verified": ["already-verified", ALREADY_VERIFIED],
  "no-code": ["not-a-contract", NO_CODE],
  "no-metadata": ["verification-failed", "Sourcify did not return metadata"],
  "too-large": ["too-long", `${WENT_WRONG}: ${SOURCES_TOO_LARGE}`],
  "node-unreachable": ["node-unreachable", `${WENT_WRONG}: node is not reachable`],
} as const;

/** Returns the failure of a refused submission. `hasResult`: clients of the action expect each text in `result` too. */
export function describeRefusal(
  outcome: keyof typeof REFUSALS | keyof typeof LIMIT_TEXTS,
  hasResult: boolean,
): Failure {
  if (outcome in LIMIT_TEXTS) {
    const text = LIMIT_TEXTS[outcome as keyof typeof LIMIT_TEXTS];
    return failed("rate-limited", text, { result: text, httpStatus: 429 });
  }
  const [code, text] = REFUSALS[outcome as keyof typeof REFUSALS];
  return failed(code, text, { result: hasResult || outcome === "no-code" ? text : null });
}

/** Submits a request and waits for its end: returns the contract in getsourcecode's form, the reason of a failure, or the guid. */
export async function submitAndWait(
  context: Context,
  request: VerificationRequest,
  describe: (reason: string) => string = (reason) => `${WENT_WRONG}: ${reason}`,
) {
  const { verifier, client, signal } = context;
  const submission = await submit(verifier, request, client);
  if (submission.outcome !== "accepted") return describeRefusal(submission.outcome, false);
  const { guid } = submission;
  const status = await verifier.wait(guid, PATIENCE_MS, signal);
  if (status?.state === "failed")
    return failed("verification-failed", describe(status.reason ?? ""));
  if (status?.state !== "passed") return ok(guid);
  const { isVerified, record } = await presentSource(context, request.address);
  // A replica may not have the record yet.
  const result = isVerified ? record : guid;
  return status.reason === null
    ? ok(result)
    : verbatim({ status: "1", message: status.reason, result });
}
