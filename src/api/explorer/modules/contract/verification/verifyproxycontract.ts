import { z } from "zod";
import { isAddress, lowerAddress } from "../../../../../core/evm/address.ts";
import { defineAction } from "../../../action.ts";
import { failed, ok } from "../../../envelope.ts";
import { address } from "../../../params.ts";
import { sent } from "../fields.ts";

const REQUIRED = "Query parameter address is required";

export const verifyproxycontract = defineAction({
  name: "verifyproxycontract",
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
});
