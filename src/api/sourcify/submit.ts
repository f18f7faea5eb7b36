import { z } from "zod";
import { RequestError } from "../../core/errors.ts";
import type { VerificationRequest } from "../../verification/request.ts";
import { type Answer, jsonAnswer } from "../explorer/envelope.ts";
import {
  isNodeUnreachable,
  LIMIT_TEXTS,
  SOURCES_TOO_LARGE,
} from "../explorer/modules/contract/verification/submit.ts";
import type { DescribedAnswer, SourcifyContext } from "./endpoint.ts";
import { SourcifyError } from "./errors.ts";

/** The answer to an accepted submission. */
export const accepted: Readonly<Record<number, DescribedAnswer>> = {
  202: { description: "A job was started", schema: z.object({ verificationId: z.string() }) },
};

/** Seconds. A job takes a second to a minute; hourly counts expire one by one. */
const RETRY_SECONDS = { "queue-full": 60, "client-full": 60, "too-many": 600 } as const;

/** Submits a request. The job checks for code at the address: clients expect that error there. */
export async function submit(
  { verifier, client }: SourcifyContext,
  request: VerificationRequest,
): Promise<Answer> {
  const submission = await verifier
    .submit(request, client, { withoutCode: true })
    .catch((error: unknown) => {
      if (!isNodeUnreachable(error)) throw error;
      throw new RequestError(503, "node-unreachable", "The node cannot be reached now");
    });
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
      throw new RequestError(413, "too-long", SOURCES_TOO_LARGE);
    case "no-code":
    case "no-metadata":
      throw new TypeError(`a submission was refused for ${submission.outcome}`);
  }
}
