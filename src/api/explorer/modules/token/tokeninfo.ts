import { z } from "zod";
import { defineAction } from "../../action.ts";
import { NO_RECORDS, ok } from "../../envelope.ts";
import { readToken } from "../../from-node/token-supply.ts";
import { UNKNOWN_PRICE } from "../../present/price.ts";
import * as wire from "../../wire.ts";
import { contractaddress } from "./contract-address.ts";

/** Facts that Etherscan's staff collects. */
const UNCOLLECTED = {
  blueCheckmark: "false",
  description: "",
  website: "",
  email: "",
  blog: "",
  reddit: "",
  slack: "",
  facebook: "",
  twitter: "",
  bitcointalk: "",
  github: "",
  telegram: "",
  wechat: "",
  linkedin: "",
  discord: "",
  whitepaper: "",
  tokenPriceUSD: UNKNOWN_PRICE,
};
const uncollected = Object.fromEntries(
  Object.keys(UNCOLLECTED).map((name) => [name, z.string()]),
) as Record<keyof typeof UNCOLLECTED, z.ZodString>;

const record = z.object({
  contractAddress: wire.address,
  tokenName: z.string(),
  symbol: z.string(),
  divisor: wire.decimalOrEmpty,
  tokenType: z.enum(["ERC20", "ERC404", "ERC721", "ERC1155"]),
  totalSupply: wire.decimalOrEmpty,
  ...uncollected,
});

export const tokeninfo = defineAction({
  name: "tokeninfo",
  summary: "A token in Etherscan's form",
  params: z.object({ contractaddress }),
  result: z.array(record),
  empty: NO_RECORDS,
  example: { contractaddress: "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35" },
  async handle(context, input) {
    const token = await readToken(context, input.contractaddress);
    if (!token) return ok([]);
    return ok([
      {
        contractAddress: token.address,
        tokenName: token.name ?? "",
        symbol: token.symbol ?? "",
        divisor: token.decimals === null ? "" : String(token.decimals),
        tokenType: `ERC${token.standard}` as const,
        totalSupply: token.totalSupply ?? "",
        ...UNCOLLECTED,
      },
    ]);
  },
});
