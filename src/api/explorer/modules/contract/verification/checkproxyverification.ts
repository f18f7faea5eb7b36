import { z } from "zod";
import type { ProxyCheck } from "../../../../../store/contracts/proxies.ts";
import { defineAction } from "../../../action.ts";
import { failed, ok, verbatim } from "../../../envelope.ts";
import { guid, UNKNOWN_GUID } from "./guid.ts";

const NONE =
  "A corresponding implementation contract was unfortunately not detected for the proxy address.";

export const checkproxyverification = defineAction({
  name: "checkproxyverification",
  summary: "What a contract delegates to, as found by verifyproxycontract",
  params: z.object({ guid }),
  result: z.string(),
  example: { guid: "e1da8919f262ee86f9be05059c9280142cf23f4800000192f3a4b5c6" },
  refuse: () => ({ httpStatus: 400 }),
  async handle({ verifier, dialect }, input) {
    const check = await verifier.proxyStatus(input.guid);
    if (!check) {
      return dialect === "etherscan"
        ? failed("not-found", UNKNOWN_GUID)
        : ok(UNKNOWN_GUID, "not-found");
    }
    if (check.implementations.length === 0) {
      return verbatim({ status: "0", message: "NOTOK", result: NONE }, "verification-failed");
    }
    return ok(foundText(check));
  },
});

function foundText({ address, implementations }: ProxyCheck): string {
  const list = implementations.join(", ");
  return implementations.length === 1
    ? `The proxy's (${address}) implementation contract is found at ${list} and is successfully updated.`
    : `The proxy's (${address}) implementation contracts are found at ${list} and they've been successfully updated.`;
}
