import { z } from "zod";
import { defineAction } from "../../action.ts";
import { NO_RECORDS, ok } from "../../envelope.ts";
import { readOwnedTokens } from "../../live/owned-tokens.ts";
import { address, pageRange, windowCheck } from "../../params.ts";
import { UNKNOWN_PRICE } from "../../present/price.ts";
import * as wire from "../../wire.ts";
import { ADDRESS_FORMAT, holdingPaging } from "./list.ts";

export const addresstokenbalance = defineAction({
  name: "addresstokenbalance",
  summary: "ERC-20 tokens that an address holds",
  envelope: "explorer",
  params: z.object({ address: address(ADDRESS_FORMAT), ...holdingPaging }),
  result: z.array(
    z.object({
      TokenAddress: wire.address,
      TokenName: z.string(),
      TokenSymbol: z.string(),
      TokenQuantity: wire.decimal,
      TokenDivisor: wire.decimalOrEmpty,
      TokenPriceUSD: z.string(),
    }),
  ),
  empty: NO_RECORDS,
  example: { address: "0x976ea74026e726554db657fa54763abd0c3a0aa9" },
  check: windowCheck(),
  async handle(context, input) {
    const tokens = await readOwnedTokens(context, input.address, [20], pageRange(input));
    return ok(
      tokens.map(({ token, name, symbol, amount, decimals }) => ({
        TokenAddress: token,
        TokenName: name ?? "",
        TokenSymbol: symbol ?? "",
        TokenQuantity: amount,
        TokenDivisor: decimals === null ? "" : String(decimals),
        TokenPriceUSD: UNKNOWN_PRICE,
      })),
    );
  },
});
