import { z } from "zod";
import { defineAction } from "../../action.ts";
import { NO_RECORDS, ok } from "../../envelope.ts";
import { readOwnedTokens } from "../../live/owned-tokens.ts";
import { address, pageRange, windowCheck } from "../../params.ts";
import * as wire from "../../wire.ts";
import { ADDRESS_FORMAT, holdingPaging } from "./list.ts";

export const addresstokennftbalance = defineAction({
  name: "addresstokennftbalance",
  summary: "ERC-721 tokens that an address holds, and how many of each",
  envelope: "explorer",
  params: z.object({ address: address(ADDRESS_FORMAT), ...holdingPaging }),
  result: z.array(
    z.object({
      TokenAddress: wire.address,
      TokenName: z.string(),
      TokenSymbol: z.string(),
      TokenQuantity: wire.decimal,
    }),
  ),
  empty: NO_RECORDS,
  example: { address: "0x976ea74026e726554db657fa54763abd0c3a0aa9" },
  check: windowCheck(),
  async handle(context, input) {
    const tokens = await readOwnedTokens(context, input.address, [721], pageRange(input));
    return ok(
      tokens.map(({ token, name, symbol, amount }) => ({
        TokenAddress: token,
        TokenName: name ?? "",
        TokenSymbol: symbol ?? "",
        TokenQuantity: amount,
      })),
    );
  },
});
