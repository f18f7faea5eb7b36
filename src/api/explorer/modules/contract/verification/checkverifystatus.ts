import { z } from "zod";
import { defineAction } from "../../../action.ts";
import { failed, ok, verbatim } from "../../../envelope.ts";
import { guid, UNKNOWN_GUID } from "./guid.ts";

// The texts must be exactly these: clients compare them whole. In the reference's dialect all have status 1. The reason of a
// failure stands in the message, which no client compares and forge prints.
const PENDING = "Pending in queue";
const PASSED = "Pass - Verified";
const FAILED = "Fail - Unable to verify";

/** forge asks at once and then only every 15 s, so a verification that ends meanwhile is waited for. */
const PATIENCE_MS = 10_000;

export const checkverifystatus = defineAction({
  name: "checkverifystatus",
  summary: "Outcome of a submitted verification",
  params: z.object({ guid }),
  result: z.string(),
  example: { guid: "700b6a60ce7eaaea56f065753d8dcb9653dbad3500000192f3a4b5c6" },
  refuse: (complaint) => failed(complaint, { httpStatus: 400 }),
  async handle({ verifier, dialect, signal }, input) {
    const status = await verifier.wait(input.guid, PATIENCE_MS, signal);
    if (status?.state === "passed") return ok(PASSED);
    if (status?.state === "failed") {
      const isError = dialect === "etherscan";
      const message = status.reason ?? (isError ? "NOTOK" : FAILED);
      return verbatim({ status: isError ? "0" : "1", message, result: FAILED });
    }
    const result = status === undefined ? UNKNOWN_GUID : PENDING;
    return dialect === "etherscan" ? failed(result) : ok(result);
  },
});
