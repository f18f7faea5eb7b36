import { z } from "zod";
import { defineAction } from "../../../action.ts";
import { NO_RECORDS, okPage } from "../../../envelope.ts";
import { keyOfOwned, readOwnedTokens } from "../../../from-node/owned-tokens.ts";
import { address } from "../../../params.ts";
import * as wire from "../../../wire.ts";
import { ADDRESS_FORMAT, allRows } from "../list.ts";

const STANDARDS = [20, 404, 721, 1155] as const;

const record = z.object({
  balance: wire.decimal,
  contractAddress: wire.address,
  name: z.string().nullable(),
  decimals: wire.decimalOrEmpty,
  symbol: z.string().nullable(),
  type: z.enum(["ERC-20", "ERC-404", "ERC-721", "ERC-1155"]),
  id: wire.decimal.optional(),
});

export const tokenlist = defineAction({
  name: "tokenlist",
  summary: "Tokens that an address holds, those of ERC-1155 by id",
  params: z.object({
    address: address({ ...ADDRESS_FORMAT, required: "Query parameter address is required" }),
    ...allRows,
  }),
  result: {
    blockscout: z.array(record),
    etherscan: z.array(record.extend({ name: z.string(), symbol: z.string() })),
  },
  empty: { blockscout: "No tokens found", etherscan: NO_RECORDS },
  example: { address: "0x976ea74026e726554db657fa54763abd0c3a0aa9" },
  cursor: "owner",
  async handle(context, input) {
    const unknown = context.dialect === "etherscan" ? "" : null;
    const tokens = await readOwnedTokens(context, input.address, STANDARDS, context.page);
    return okPage(
      context.page,
      tokens,
      keyOfOwned,
      ({ token, tokenId, amount, standard, name, symbol, decimals }) => ({
        balance: amount,
        contractAddress: token,
        name: name ?? unknown,
        decimals: decimals === null ? "" : String(decimals),
        symbol: symbol ?? unknown,
        type: `ERC-${standard}` as const,
        ...(tokenId !== null && { id: tokenId }),
      }),
    );
  },
});
