import { z } from "zod";
import { listContractsByName } from "../../../../store/lists/names.ts";
import { defineAction } from "../../action.ts";
import { NO_RECORDS, ok } from "../../envelope.ts";
import { offset, page, text, windowCheck } from "../../params.ts";
import * as wire from "../../wire.ts";

const ROWS = 25;
const MOST_ROWS = 100;
const NAME = { required: "Query parameter 'name' is required", invalid: "Invalid name format" };

export const listbyname = defineAction({
  name: "listbyname",
  summary:
    "Addresses whose label, and tokens and contracts whose name or symbol begins with a text",
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
  result: z.array(
    z.object({
      address: wire.address,
      type: z.enum(["", "ERC-20", "ERC-404", "ERC-721", "ERC-1155"]).describe("Empty for no token"),
      tokenName: z.string(),
      tokenSymbol: z.string(),
      contractName: z.string().describe("Empty without a verified source"),
      nametag: z.string().describe("The operator's own name; empty without one"),
    }),
  ),
  empty: { blockscout: "No contracts found", etherscan: NO_RECORDS },
  example: { name: "harbour" },
  check: windowCheck(MOST_ROWS),
  async handle({ read, page, labels }, input) {
    const { find, search } = labels();
    const labelled = search(input.name);
    const rows = await read((sql) => listContractsByName(sql, input.name, page, labelled));
    return ok(
      rows.map(({ address, standard, name, symbol, contractName }) => ({
        address,
        type: standard === null ? ("" as const) : (`ERC-${standard}` as const),
        tokenName: name ?? "",
        tokenSymbol: symbol ?? "",
        contractName: contractName ?? "",
        nametag: find(address)?.name ?? "",
      })),
    );
  },
});
