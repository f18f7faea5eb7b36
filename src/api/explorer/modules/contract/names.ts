import { z } from "zod";
import { isAddress, lowerAddress } from "../../../../core/evm/address.ts";
import {
  listContractsByName,
  listNames,
  listTokens,
  type NamedContract,
} from "../../../../store/lists/names.ts";
import { defineAction } from "../../action.ts";
import { NO_RECORDS, ok, okPage } from "../../envelope.ts";
import { listItems, offset, page, paging, text, windowCheck } from "../../params.ts";
import * as wire from "../../wire.ts";

const ROWS = 25;
const MOST_ROWS = 100;
const MOST_TOKENS = 1000;
const ADDRESSES = {
  required: "Query parameter 'addresses' is required",
  invalid: "Invalid address format",
};
const NAME = { required: "Query parameter 'name' is required", invalid: "Invalid name format" };

/** Names of a token or a verified contract. */
const namedContract = z.object({
  address: wire.address,
  type: z.enum(["", "ERC-20", "ERC-404", "ERC-721", "ERC-1155"]).describe("Empty for no token"),
  tokenName: z.string(),
  tokenSymbol: z.string(),
  contractName: z.string().describe("Empty without a verified source"),
});

export const listbyname = defineAction({
  name: "listbyname",
  summary: "Tokens and verified contracts whose name or symbol begins with a text",
  params: z.object({
    name: text(NAME)
      .trim()
      .min(1, NAME.invalid)
      // PostgreSQL's texts cannot contain this character.
      .refine((name) => !name.includes("\0"), NAME.invalid)
      .describe("Beginning of the name, in any letter case; its first 64 characters count"),
    page,
    offset: offset(ROWS, MOST_ROWS),
  }),
  result: z.array(namedContract),
  empty: { blockscout: "No contracts found", etherscan: NO_RECORDS },
  example: { name: "harbour" },
  check: windowCheck(MOST_ROWS),
  async handle({ read, page }, input) {
    const rows = await read((sql) => listContractsByName(sql, input.name, page));
    return ok(rows.map(presentNames));
  },
});

export const listnames = defineAction({
  name: "listnames",
  summary: "Names of the tokens and verified contracts among addresses",
  params: z.object({
    addresses: text(ADDRESSES)
      .transform(listItems)
      .refine((items) => items.every(isAddress), ADDRESSES.invalid)
      .refine(
        (items) => items.length <= MOST_ROWS,
        `A maximum of ${MOST_ROWS} addresses is allowed`,
      )
      .transform((items) => [...new Set(items.map(lowerAddress))])
      .describe(`Up to ${MOST_ROWS} addresses, separated by commas`),
  }),
  result: z.array(namedContract),
  empty: { blockscout: "No contracts found", etherscan: NO_RECORDS },
  example: { addresses: "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35" },
  async handle({ read }, input) {
    const rows = await read((sql) => listNames(sql, input.addresses));
    return ok(rows.map(presentNames));
  },
});

export const listtokens = defineAction({
  name: "listtokens",
  summary: "Tokens, newest first",
  params: z.object(paging(ROWS, MOST_TOKENS)),
  result: z.array(
    namedContract.extend({
      tokenDecimal: wire.decimalOrEmpty,
      holdersCount: wire.decimal,
      firstBlock: wire.decimal.describe("The block of its first event"),
    }),
  ),
  empty: { blockscout: "No tokens found", etherscan: NO_RECORDS },
  example: {},
  check: windowCheck(MOST_TOKENS),
  cursor: "members",
  async handle({ read, page }) {
    const tokens = await read((sql) => listTokens(sql, page));
    return okPage(
      page,
      tokens,
      ({ firstBlock, address }) => [firstBlock, address],
      (token) => ({
        ...presentNames(token),
        tokenDecimal: String(token.decimals ?? ""),
        holdersCount: String(token.holderCount),
        firstBlock: String(token.firstBlock),
      }),
    );
  },
});

function presentNames({ address, standard, name, symbol, contractName }: NamedContract) {
  return {
    address,
    type: standard === null ? ("" as const) : (`ERC-${standard}` as const),
    tokenName: name ?? "",
    tokenSymbol: symbol ?? "",
    contractName: contractName ?? "",
  };
}
