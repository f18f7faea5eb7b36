import { type Address, isAddress, lowerAddress } from "../../../core/address.ts";
import { VerificationError } from "../../../verification/errors.ts";
import type { VerificationRequest } from "../../../verification/request.ts";
import type { Submission } from "../../../verification/submit.ts";
import type { Context } from "../../action.ts";
import { type Failure, failed, type Outcome, ok } from "../../envelope.ts";
import type { Input } from "../../input.ts";
import {
  presentForBlockscout,
  presentForEtherscan,
  type SourceRecord,
} from "../../present/verified-contract.ts";
import { readSource } from "../../source-answer.ts";
import { given, SPELLINGS } from "./submission.ts";

// The actions that answer when the verification is done, and what they share with the one that does not wait.

/** How long they wait before they give the guid in the place of the contract. */
const PATIENCE_MS = 25_000;
const INVALID_ADDRESS = "Invalid address hash";

export const ALREADY_VERIFIED = "Smart-contract already verified.";
export const NO_CODE = "Address is not a smart-contract";
export const WENT_WRONG = "Something went wrong while publishing the contract";

/** The address of a submission, or what is wrong with it or with the first other thing that it lacks. */
export function readRequired(
  sent: Input,
  names: Readonly<Record<string, readonly string[]>>,
): Address | Failure {
  const address = given(sent, SPELLINGS.address);
  if (address === undefined) return failed("addressHash is required.", { httpStatus: 400 });
  const absent = firstAbsent(sent, names);
  if (absent !== undefined) return failed(`${absent} is required.`);
  return isAddress(address) ? lowerAddress(address) : failed(INVALID_ADDRESS);
}

/** The first name of which nothing was sent under any spelling. */
export function firstAbsent(
  sent: Input,
  names: Readonly<Record<string, readonly string[]>>,
): string | undefined {
  return Object.entries(names).find(([, spellings]) => given(sent, spellings) === undefined)?.[0];
}

/** Submits a request, and says when only an unreachable node could tell whether it may be. */
export async function submit(
  verifier: Context["verifier"],
  request: VerificationRequest,
): Promise<Submission | { outcome: "node-unreachable" }> {
  try {
    return await verifier.submit(request);
  } catch (error) {
    if (error instanceof VerificationError && error.failure.code === "node") {
      return { outcome: "node-unreachable" };
    }
    throw error;
  }
}

/** Too much is asked for: words for a submission that was not accepted for that reason. */
export function limitReached(outcome: "queue-full" | "too-many"): Failure {
  const text =
    outcome === "queue-full"
      ? "Too many verifications wait already, please try again later"
      : "Too many verifications of this contract within an hour, please try again later";
  return failed(text, { result: text, httpStatus: 429 });
}

/**
 * Submits a request and waits for its end: the verified contract as getsourcecode has it, `refusal` of the reason that
 * it failed for, or the guid when it takes longer.
 */
export async function publish(
  { sql, dialect, verifier }: Context,
  request: VerificationRequest,
  refusal: (reason: string) => string = (reason) => `${WENT_WRONG}: ${reason}`,
): Promise<Outcome<SourceRecord | string>> {
  const submission = await submit(verifier, request);
  switch (submission.outcome) {
    case "already-verified":
      return failed(ALREADY_VERIFIED);
    case "no-code":
      return failed(NO_CODE, { result: NO_CODE });
    case "no-metadata":
      return failed("Sourcify did not return metadata");
    case "node-unreachable":
      return failed(`${WENT_WRONG}: node is not reachable`);
    case "queue-full":
    case "too-many":
      return limitReached(submission.outcome);
  }
  const { guid } = submission;
  const status = await verifier.wait(guid, PATIENCE_MS);
  if (status?.state === "failed") return failed(refusal(status.reason ?? ""));
  if (status?.state !== "passed") return ok(guid);
  const answer = await readSource(sql, request.address);
  // A replica may not have it yet.
  if (!answer.contract) return ok(guid);
  return ok(dialect === "etherscan" ? presentForEtherscan(answer) : presentForBlockscout(answer));
}
