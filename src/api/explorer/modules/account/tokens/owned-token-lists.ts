import { z } from "zod";
import type { OwnedToken } from "../../../../../store/state/token-balances/holdings.ts";
import { defineAction } from "../../../action.ts";
import { NO_RECORDS, okPage } from "../../../envelope.ts";
import { keyOfOwned, readOwnedTokens } from "../../../from-node/owned-tokens.ts";
import { address, paging, windowCheck } from "../../../params.ts";
import { UNKNOWN_PRICE } from "../../../present/price.ts";
import * as wire from "../../../wire.ts";
import { ADDRESS_FORMAT } from "../list.ts";

const record = z.object({
  TokenAddress: wire.address,
  TokenName: z.string(),
  TokenSymbol: z.string(),
  TokenQuantity: wire.decimal,
});

/** Common parts of Etherscan's lists of an address's tokens. */
const common = {
  params: z.object({ address: address(ADDRESS_FORMAT), ...paging(100) }),
  empty: NO_RECORDS,
  example: { address: "0x976ea74026e726554db657fa54763abd0c3a0aa9" },
  check: windowCheck(),
  cursor: "owner",
} as const;

export const addresstokenbalance = defineAction({
  ...common,
  name: "addresstokenbalance",
  summary: "ERC-20 tokens that an address holds",
  result: z.array(record.extend({ TokenDivisor: wire.decimalOrEmpty, TokenPriceUSD: z.string() })),
  async handle(context, input) {
    const tokens = await readOwnedTokens(context, input.address, [20], context.page);
    return okPage(context.page, tokens, keyOfOwned, (token) => ({
      ...present(token),
      TokenDivisor: token.decimals === null ? "" : String(token.decimals),
      TokenPriceUSD: UNKNOWN_PRICE,
    }));
  },
});

export const addresstokennftbalance = defineAction({
  ...common,
  name: "addresstokennftbalance",
  summary: "ERC-721 tokens that an address holds, and how many of each",
  result: z.array(record),
  async handle(context, input) {
    const tokens = await readOwnedTokens(context, input.address, [721], context.page);
    return okPage(context.page, tokens, keyOfOwned, present);
  },
});

function present({ token, name, symbol, amount }: OwnedToken): z.input<typeof record> {
  return {
    TokenAddress: token,
    TokenName: name ?? "",
    TokenSymbol: symbol ?? "",
    TokenQuantity: amount,
  };
}
