import { z } from "zod";
import type { ErrorCode } from "../../../../../core/errors.ts";
import { isAddress, lowerAddress } from "../../../../../core/evm/address.ts";
import { defineAction } from "../../../action.ts";
import { type Dialect, failed, type Outcome, ok, verbatim } from "../../../envelope.ts";
import { address, text } from "../../../params.ts";
import { sent } from "./verify.ts";

const GUID_REQUIRED = "Query parameter guid is required";
const guid = text({ required: GUID_REQUIRED, invalid: GUID_REQUIRED }).describe(
  "Identifier that the submission returned",
);

const UNKNOWN_GUID = "Unknown UID";

// Clients compare these texts as a whole, so they are fixed. In Blockscout's dialect all have status
// 1, and the message has the reason of a failure. In Etherscan's dialect it is NOTOK, as titanoboa
// expects. The note of a pass (`OTHER_TEXT`) is in the message of both dialects.
const PENDING = "Pending in queue";
const PASSED = "Pass - Verified";
const FAILED = "Fail - Unable to verify";

/** How long an answer waits for the end: forge repeats its request only after 15 s. Etherscan's clients with httpx give up after 5 s. */
const PATIENCE_MS = { blockscout: 10_000, etherscan: 4_000 };

const REQUIRED = "Query parameter address is required";

export const verificationStates = {
  checkverifystatus: defineAction({
    summary: "Outcome of a submitted verification",
    params: z.object({ guid }),
    result: z.string(),
    example: { guid: "700b6a60ce7eaaea56f065753d8dcb9653dbad3500000192f3a4b5c6" },
    refuse: () => ({ httpStatus: 400 }),
    async handle({ verifier, dialect, signal }, input) {
      const status = await verifier.wait(input.guid, PATIENCE_MS[dialect], signal);
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
      if (status === undefined) return unsuccessful(dialect, "not-found", UNKNOWN_GUID);
      return status.state === "failed"
        ? unsuccessful(dialect, "verification-failed", FAILED)
        : unsuccessful(dialect, "verification-pending", PENDING);
    },
  }),
  verifyproxycontract: defineAction({
    summary:
      "Looks up what a verified contract delegates to; checkproxyverification gives the result",
    params: z.object({
      address: address({ required: REQUIRED, invalid: "Invalid address hash" }).describe(
        "Verified contract",
      ),
      expectedimplementation: sent("Contract that it is expected to delegate to"),
    }),
    result: z.string(),
    example: { address: "0xe1da8919f262ee86f9be05059c9280142cf23f48" },
    refuse: (text) => (text === REQUIRED ? { httpStatus: 400 } : {}),
    async handle(context, { address: proxy, expectedimplementation: expected }) {
      const checked = await context.verifier.verifyProxy(proxy, {
        expected: isAddress(expected) ? lowerAddress(expected) : undefined,
        asker: { caller: context.client, signal: context.signal },
      });
      return checked.outcome === "checked"
        ? ok(checked.guid)
        : failed("not-verified", "Smart-contract not found or is not verified");
    },
  }),
  checkproxyverification: defineAction({
    summary: "What a contract delegates to, as found by verifyproxycontract",
    params: z.object({ guid }),
    result: z.string(),
    example: { guid: "e1da8919f262ee86f9be05059c9280142cf23f4800000192f3a4b5c6" },
    refuse: () => ({ httpStatus: 400 }),
    async handle({ verifier, dialect }, input) {
      const check = await verifier.proxyStatus(input.guid);
      if (!check) return unsuccessful(dialect, "not-found", UNKNOWN_GUID);
      if (check.implementations.length === 0) {
        const result =
          "A corresponding implementation contract was unfortunately not detected for the proxy address.";
        return verbatim({ status: "0", message: "NOTOK", result }, "verification-failed");
      }
      const { address, implementations } = check;
      const list = implementations.join(", ");
      return ok(
        implementations.length === 1
          ? `The proxy's (${address}) implementation contract is found at ${list} and is successfully updated.`
          : `The proxy's (${address}) implementation contracts are found at ${list} and they've been successfully updated.`,
      );
    },
  }),
};

function unsuccessful(dialect: Dialect, code: ErrorCode, text: string): Outcome<string> {
  return dialect === "etherscan" ? failed(code, text) : ok(text, code);
}
