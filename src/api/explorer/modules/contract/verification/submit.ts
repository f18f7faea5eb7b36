import { type Address, isAddress, lowerAddress } from "../../../../../core/evm/address.ts";
import { VerificationError } from "../../../../../verification/errors.ts";
import type { Submission } from "../../../../../verification/jobs/submit.ts";
import type { VerificationRequest } from "../../../../../verification/request.ts";
import type { Input } from "../../../../http/input/form.ts";
import type { Context } from "../../../action.ts";
import { type Failure, failed, type Outcome, ok, verbatim } from "../../../envelope.ts";
import {
  presentForBlockscout,
  presentForEtherscan,
  type SourceRecord,
} from "../../../present/verified-contract.ts";
import { answerSource } from "../sources.ts";
import { given, SPELLINGS } from "./submission.ts";

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
): Promise<Outcome<SourceRecord | string>> {
  const { dialect, verifier, client, signal } = context;
  const submission = await submit(verifier, request, client);
  if (submission.outcome !== "accepted") return describeRefusal(submission.outcome, false);
  const { guid } = submission;
  const status = await verifier.wait(guid, PATIENCE_MS, signal);
  if (status?.state === "failed")
    return failed("verification-failed", describe(status.reason ?? ""));
  if (status?.state !== "passed") return ok(guid);
  const present = dialect === "etherscan" ? presentForEtherscan : presentForBlockscout;
  const record = await answerSource<SourceRecord | undefined>(context, request.address, (answer) =>
    answer.contract ? present(answer) : undefined,
  );
  // A replica may not have the record yet.
  const result = record ?? guid;
  return status.reason === null
    ? ok(result)
    : verbatim({ status: "1", message: status.reason, result });
}
