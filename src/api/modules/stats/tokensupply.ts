import { z } from "zod";
import { formatRounded } from "../../../core/decimal.ts";
import { getToken, type Token } from "../../../store/token-facts.ts";
import { type Context, defineAction } from "../../action.ts";
import { failed, ok, plainText } from "../../envelope.ts";
import { readTotalSupply } from "../../live/token-supply.ts";
import { address } from "../../params.ts";
import { atServedHead } from "../../served-head.ts";
import * as wire from "../../wire.ts";

const CMC_PLACES = 9;

export const tokensupply = defineAction({
  name: "tokensupply",
  summary: "Total supply of a token in its smallest unit, or as plain text in whole tokens",
  envelope: "explorer",
  params: z.object({
    contractaddress: address({
      required: "Query parameter contract address is required",
      invalid: "Invalid contract address format",
    }),
    cmc: z.literal("true").optional().catch(undefined),
  }),
  result: wire.decimal.nullable(),
  example: { contractaddress: "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35" },
  async handle(context, { contractaddress, cmc }) {
    const token = await getToken(context.sql, contractaddress);
    if (!token) return failed("Contract address not found");
    const supply = await readTotalSupply(context, token);
    if (cmc === undefined) return ok(supply);
    const decimals = await decimalsOf(context, token);
    return plainText(formatRounded(BigInt(supply ?? 0), decimals, CMC_PLACES));
  },
});

async function decimalsOf({ sql, chain }: Context, token: Token): Promise<number> {
  if (token.cataloged) return token.decimals ?? 0;
  const [metadata] = await atServedHead(sql, (head) =>
    chain.fetchTokenMetadata([token.address], head),
  );
  return metadata?.decimals ?? 0;
}
