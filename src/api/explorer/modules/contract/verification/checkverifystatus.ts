import { z } from "zod";
import { defineAction } from "../../../action.ts";
import { failed, ok, verbatim } from "../../../envelope.ts";
import { guid, UNKNOWN_GUID } from "./guid.ts";

// Clients compare these texts whole, so they are fixed. In the reference's dialect all have status
// 1. The reason of a failure is in the message, which no client compares in it; in Etherscan's
// dialect titanoboa expects NOTOK there. A pass with a note (`OTHER_TEXT`) has it in the message of
// both dialects.
const PENDING = "Pending in queue";
const PASSED = "Pass - Verified";
const FAILED = "Fail - Unable to verify";

/** forge asks at once and then only every 15 s, so the answer waits for a verification that ends meanwhile. */
const PATIENCE_MS = 10_000;

export const checkverifystatus = defineAction({
  name: "checkverifystatus",
  summary: "Outcome of a submitted verification",
  params: z.object({ guid }),
  result: z.string(),
  example: { guid: "700b6a60ce7eaaea56f065753d8dcb9653dbad3500000192f3a4b5c6" },
  refuse: () => ({ httpStatus: 400 }),
  async handle({ verifier, dialect, signal }, input) {
    const status = await verifier.wait(input.guid, PATIENCE_MS, signal);
    if (status?.state === "passed") {
      const { reason } = status;
      return reason === null
        ? ok(PASSED)
        : verbatim({ status: "1", message: reason, result: PASSED });
    }
    if (status?.state === "failed" && dialect === "blockscout") {
      const message = status.reason ?? FAILED;
      return verbatim({ status: "1", message, result: FAILED }, "verification-failed");
    }
    const [code, result] =
      status === undefined
        ? (["not-found", UNKNOWN_GUID] as const)
        : status.state === "failed"
          ? (["verification-failed", FAILED] as const)
          : (["verification-pending", PENDING] as const);
    return dialect === "etherscan" ? failed(code, result) : ok(result, code);
  },
});
