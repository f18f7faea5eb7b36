import { z } from "zod";
import { formatRounded } from "../../../../core/decimal.ts";
import { defineAction } from "../../action.ts";
import { failed, ok, plainText } from "../../envelope.ts";
import { readToken } from "../../from-node/token-supply.ts";
import { address } from "../../params.ts";
import * as wire from "../../wire.ts";

const CMC_PLACES = 9;

export const tokensupply = defineAction({
  name: "tokensupply",
  summary: "Total supply of a token in its smallest unit, or as plain text in whole tokens",
  mayBeText: true,
  params: z.object({
    contractaddress: address({
      required: "Query parameter contract address is required",
      invalid: "Invalid contract address format",
    }).describe("Token contract"),
    cmc: z
      .literal("true")
      .optional()
      .catch(undefined)
      .describe("`true`: answer with the supply in whole tokens, as plain text"),
  }),
  result: wire.decimal.nullable(),
  example: { contractaddress: "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35" },
  async handle(context, { contractaddress, cmc }) {
    const token = await readToken(context, contractaddress);
    if (!token) return failed("not-found", "Contract address not found");
    const { totalSupply, decimals } = token;
    if (cmc === undefined) return ok(totalSupply);
    return plainText(formatRounded(BigInt(totalSupply ?? 0), decimals ?? 0, CMC_PLACES));
  },
});
