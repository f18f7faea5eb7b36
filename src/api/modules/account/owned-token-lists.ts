import { z } from "zod";
import type { OwnedToken } from "../../../store/token-balances/holdings.ts";
import type { TokenStandard } from "../../../store/token-transfers.ts";
import { type Action, defineAction } from "../../action.ts";
import { NO_RECORDS, ok } from "../../envelope.ts";
import { readOwnedTokens } from "../../live/owned-tokens.ts";
import { address, offset, page, pageRange, windowCheck } from "../../params.ts";
import { UNKNOWN_PRICE } from "../../present/price.ts";
import * as wire from "../../wire.ts";
import { ADDRESS_FORMAT } from "./list.ts";

export const addresstokenbalance = defineOwnedTokenList({
  name: "addresstokenbalance",
  summary: "ERC-20 tokens that an address holds",
  standard: 20,
  fields: { TokenDivisor: wire.decimalOrEmpty, TokenPriceUSD: z.string() },
  present: ({ decimals }) => ({
    TokenDivisor: decimals === null ? "" : String(decimals),
    TokenPriceUSD: UNKNOWN_PRICE,
  }),
});

export const addresstokennftbalance = defineOwnedTokenList({
  name: "addresstokennftbalance",
  summary: "ERC-721 tokens that an address holds, and how many of each",
  standard: 721,
  fields: {},
  present: () => ({}),
});

/** Declares Etherscan's list of what an address holds of one standard. `fields` are added to each record. */
function defineOwnedTokenList({
  standard,
  fields,
  present,
  ...list
}: Pick<Action, "name" | "summary"> & {
  standard: TokenStandard;
  fields: Readonly<Record<string, z.ZodString>>;
  present(token: OwnedToken): Record<string, string>;
}) {
  return defineAction({
    ...list,
    envelope: "explorer",
    params: z.object({ address: address(ADDRESS_FORMAT), page, offset: offset(100) }),
    result: z.array(
      z.object({
        TokenAddress: wire.address,
        TokenName: z.string(),
        TokenSymbol: z.string(),
        TokenQuantity: wire.decimal,
        ...fields,
      }),
    ),
    empty: NO_RECORDS,
    example: { address: "0x976ea74026e726554db657fa54763abd0c3a0aa9" },
    check: windowCheck(),
    async handle(context, input) {
      const tokens = await readOwnedTokens(context, input.address, [standard], pageRange(input));
      return ok(
        tokens.map((token) => ({
          TokenAddress: token.token,
          TokenName: token.name ?? "",
          TokenSymbol: token.symbol ?? "",
          TokenQuantity: token.amount,
          ...present(token),
        })),
      );
    },
  });
}
