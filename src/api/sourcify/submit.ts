import { z } from "zod";
import type { VerificationRequest } from "../../verification/request.ts";
import { type Answer, jsonAnswer } from "../envelope.ts";
import { LIMIT_TEXTS, TOO_LARGE } from "../modules/contract/submit.ts";
import type { DescribedAnswer, SourcifyContext } from "./endpoint.ts";
import { SourcifyError } from "./errors.ts";

/** What a submission that was accepted is answered with. */
export const accepted: Readonly<Record<number, DescribedAnswer>> = {
  202: { description: "A job was begun", schema: z.object({ verificationId: z.string() }) },
};

/** A job takes a second or a minute, and what counts by the hour is forgotten one by one. */
const RETRY_SECONDS = { "queue-full": 60, "client-full": 60, "too-many": 600 } as const;

/** Submits a request. Whether there is code at the address is the job's to find out: clients look for it there. */
export async function submit(
  { verifier, client }: SourcifyContext,
  request: VerificationRequest,
): Promise<Answer> {
  const submission = await verifier.submit(request, client, { withoutCode: true });
  switch (submission.outcome) {
    case "accepted":
      return jsonAnswer({ verificationId: submission.guid }, 202);
    case "already-verified":
      throw new SourcifyError(
        409,
        "already_verified",
        `The contract ${request.address} is already verified`,
      );
    case "queue-full":
    case "client-full":
    case "too-many":
      throw new SourcifyError(429, "too_many_requests", LIMIT_TEXTS[submission.outcome], {
        retryAfterSeconds: RETRY_SECONDS[submission.outcome],
      });
    case "too-large":
      throw new SourcifyError(413, "invalid_parameter", TOO_LARGE);
    case "no-code":
    case "no-metadata":
      throw new TypeError(`a submission was refused for ${submission.outcome}`);
  }
}
