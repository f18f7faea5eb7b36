import { z } from "zod";
import { getToken } from "../../../store/token-facts.ts";
import { defineAction } from "../../action.ts";
import { ok } from "../../envelope.ts";
import { readTotalSupply } from "../../live/token-supply.ts";
import { UNKNOWN_PRICE } from "../../present/price.ts";
import * as wire from "../../wire.ts";
import { contractaddress, NO_RECORDS } from "./contract-address.ts";

/** What Etherscan's staff collects, and nobody does here. */
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
const UNCOLLECTED_NAMES = Object.keys(UNCOLLECTED) as (keyof typeof UNCOLLECTED)[];

const record = z
  .object({
    contractAddress: wire.address,
    tokenName: z.string(),
    symbol: z.string(),
    divisor: wire.decimalOrEmpty,
    tokenType: z.enum(["ERC20", "ERC404", "ERC721", "ERC1155"]),
    totalSupply: wire.decimalOrEmpty,
  })
  .and(z.record(z.enum(UNCOLLECTED_NAMES), z.string()));

export const tokeninfo = defineAction({
  name: "tokeninfo",
  summary: "A token in Etherscan's form",
  envelope: "explorer",
  params: z.object({ contractaddress }),
  result: z.array(record),
  empty: NO_RECORDS,
  example: { contractaddress: "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35" },
  async handle(context, input) {
    const token = await getToken(context.sql, input.contractaddress);
    if (!token) return ok([]);
    return ok([
      {
        contractAddress: token.address,
        tokenName: token.name ?? "",
        symbol: token.symbol ?? "",
        divisor: token.decimals === null ? "" : String(token.decimals),
        tokenType: `ERC${token.standard}` as const,
        totalSupply: (await readTotalSupply(context, token)) ?? "",
        ...UNCOLLECTED,
      },
    ]);
  },
});
