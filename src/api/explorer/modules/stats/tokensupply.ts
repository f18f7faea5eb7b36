import { z } from "zod";
import { formatRounded } from "../../../../core/decimal.ts";
import { type Context, defineAction } from "../../action.ts";
import { failed, ok, plainText } from "../../envelope.ts";
import { answered } from "../../from-node/answered.ts";
import { fetchTotalSupply, readToken, type TokenAtHead } from "../../from-node/token-supply.ts";
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
    const found = await readToken(context, contractaddress);
    if (!found) return failed("Contract address not found");
    const supply = await fetchTotalSupply(context, found);
    if (cmc === undefined) return ok(supply);
    const decimals = await decimalsOf(context, found);
    return plainText(formatRounded(BigInt(supply ?? 0), decimals, CMC_PLACES));
  },
});

async function decimalsOf({ chain }: Context, { token, head }: TokenAtHead): Promise<number> {
  if (token.cataloged) return token.decimals ?? 0;
  const [metadata] = await chain.fetchTokenMetadata([token.address], head);
  return answered(metadata).decimals ?? 0;
}
