import { z } from "zod";
import { isAddress, lowerAddress } from "../../../../core/evm/address.ts";
import {
  type ListedToken,
  listContractsByName,
  listNames,
  listTokens,
  type NamedContract,
} from "../../../../store/lists/names.ts";
import { defineAction } from "../../action.ts";
import { NO_RECORDS, ok, okPage } from "../../envelope.ts";
import { listItems, offset, page, paging, text, windowCheck } from "../../params.ts";
import { defineRecord } from "../../present/record.ts";
import * as wire from "../../wire.ts";

const ROWS = 25;
const MOST_ROWS = 100;
const MOST_TOKENS = 1000;
const ADDRESSES = {
  required: "Query parameter 'addresses' is required",
  invalid: "Invalid address format",
};
const NAME = { required: "Query parameter 'name' is required", invalid: "Invalid name format" };

const named = defineRecord<NamedContract>()({
  address: [wire.address, (row) => row.address],
  type: [
    z.enum(["", ...wire.tokenType.options]).describe("Empty unless it is a token"),
    ({ standard }) => (standard === null ? "" : (`ERC-${standard}` as const)),
  ],
  tokenName: [z.string(), (row) => row.name ?? ""],
  tokenSymbol: [z.string(), (row) => row.symbol ?? ""],
  contractName: [
    z.string().describe("Empty without a verified source"),
    (row) => row.contractName ?? "",
  ],
});

const found = defineRecord<NamedContract & { nametag: string }>()({
  ...named.fields,
  nametag: [
    z.string().describe("The operator's own name; empty without one"),
    (row) => row.nametag,
  ],
});

export const listbyname = defineAction({
  name: "listbyname",
  summary: "Addresses by the beginning of a label, or of the name or symbol of a token or contract",
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
  result: z.array(found.schema),
  empty: { blockscout: "No contracts found", etherscan: NO_RECORDS },
  example: { name: "harbour" },
  check: windowCheck(MOST_ROWS),
  async handle({ read, page, labels }, input) {
    const { find, search } = labels();
    const labelled = search(input.name);
    const rows = await read((sql) => listContractsByName(sql, input.name, page, labelled));
    return ok(rows.map((row) => found.present({ ...row, nametag: find(row.address)?.name ?? "" })));
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
  result: z.array(named.schema),
  empty: { blockscout: "No contracts found", etherscan: NO_RECORDS },
  example: { addresses: "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35" },
  async handle({ read }, input) {
    const rows = await read((sql) => listNames(sql, input.addresses));
    return ok(rows.map(named.present));
  },
});

const token = defineRecord<ListedToken>(undefined, (row) => [row.firstBlock, row.address])({
  ...named.fields,
  tokenDecimal: [wire.decimalOrEmpty, (row) => String(row.decimals ?? "")],
  holdersCount: [wire.decimal, (row) => String(row.holderCount)],
  firstBlock: [
    wire.decimal.describe("The block of its first event"),
    (row) => String(row.firstBlock),
  ],
});

export const listtokens = defineAction({
  name: "listtokens",
  summary: "Tokens, newest first",
  params: z.object(paging(ROWS, MOST_TOKENS)),
  result: z.array(token.schema),
  empty: { blockscout: "No tokens found", etherscan: NO_RECORDS },
  example: {},
  check: windowCheck(MOST_TOKENS),
  cursor: "members",
  async handle({ read, page }) {
    const tokens = await read((sql) => listTokens(sql, page));
    return okPage(page, tokens, token);
  },
});
