import { z } from "zod";
import { defineAction } from "../../action.ts";
import { failed, ok } from "../../envelope.ts";
import { readToken } from "../../from-node/token-supply.ts";
import * as wire from "../../wire.ts";
import { contractaddress } from "./contract-address.ts";

export const getToken = defineAction({
  name: "getToken",
  summary: "Name, symbol, decimals, supply and standard of a token",
  params: z.object({ contractaddress }),
  result: z.object({
    cataloged: z.boolean(),
    contractAddress: wire.address,
    decimals: wire.decimalOrEmpty,
    name: z.string(),
    symbol: z.string(),
    totalSupply: wire.decimalOrEmpty,
    type: z.enum(["ERC-20", "ERC-404", "ERC-721", "ERC-1155"]),
  }),
  example: { contractaddress: "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35" },
  async handle(context, input) {
    const token = await readToken(context, input.contractaddress);
    if (!token) return failed("not-found", "Contract address not found");
    return ok({
      cataloged: token.cataloged,
      contractAddress: token.address,
      decimals: token.decimals === null ? "" : String(token.decimals),
      name: token.name ?? "",
      symbol: token.symbol ?? "",
      totalSupply: token.totalSupply ?? "",
      type: `ERC-${token.standard}` as const,
    });
  },
});
