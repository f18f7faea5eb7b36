import { z } from "zod";
import { parseInteger } from "../../../../core/decimal.ts";
import type { Address } from "../../../../core/evm/address.ts";
import { listContracts, listEmptyContracts } from "../../../../store/contracts/list.ts";
import {
  listVerifiedContracts,
  listVerifiedSummaries,
  type VerifiedSummary,
} from "../../../../store/contracts/verified/summaries.ts";
import {
  type ListedToken,
  listContractsByName,
  listNames,
  listTokens,
  type NamedContract,
} from "../../../../store/lists/names.ts";
import { pathNameOf } from "../../../serving/served-chain.ts";
import { defineAction } from "../../action.ts";
import { NO_RECORDS, ok, okPage } from "../../envelope.ts";
import type { Label } from "../../labels.ts";
import { addresses, offset, page, paging, text, timeBound } from "../../params.ts";
import { isOptimized, NOT_VERIFIED } from "../../present/verified-contract.ts";
import * as wire from "../../wire.ts";

const FILTERS = ["verified", "unverified", "empty"] as const;
type Filter = (typeof FILTERS)[number];

/** Parses a kind of contracts by name or number. */
const filter = z
  .string({ error: ({ input }) => badFilter(JSON.stringify(input)) })
  .transform((value, { issues }): Filter => {
    const named =
      FILTERS.find((name) => name === value) ?? FILTERS[Number(parseInteger(value) ?? 0n) - 1];
    if (named) return named;
    issues.push({ code: "custom", message: badFilter(value), input: value });
    return z.NEVER;
  })
  .optional()
  .meta({
    description:
      "Kind of contracts: `verified`, `unverified` or `empty`, or 1, 2, 3; all when absent",
    enum: [...FILTERS, ...FILTERS.map((_, index) => String(index + 1))],
  });

const ROWS = 25;
const MOST_ROWS = 100;
const MOST_TOKENS = 1000;
const ADDRESSES = {
  required: "Query parameter 'addresses' is required",
  invalid: "Invalid address format",
};
const NAME = { required: "Query parameter 'name' is required", invalid: "Invalid name format" };

const named = wire.defineRecord<NamedContract>()({
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

const found = wire.defineRecord<NamedContract & { nametag: string }>()({
  ...named.fields,
  nametag: [
    z.string().describe("The operator's own name; empty without one"),
    (row) => row.nametag,
  ],
});

const token = wire.defineRecord<ListedToken>((row) => [row.firstBlock, row.address])({
  ...named.fields,
  tokenDecimal: [wire.decimalOrEmpty, (row) => String(row.decimals ?? "")],
  holdersCount: [wire.decimal, (row) => String(row.holderCount)],
  firstBlock: [
    wire.decimal.describe("The block of its first event"),
    (row) => String(row.firstBlock),
  ],
});

export const listtokens = defineAction({
  summary: "Tokens, newest first",
  params: z.object(paging(ROWS, MOST_TOKENS)),
  result: z.array(token.schema),
  empty: { blockscout: "No tokens found", etherscan: NO_RECORDS },
  example: {},
  cursor: "members",
  async handle({ read, page }) {
    const tokens = await read((sql) => listTokens(sql, page));
    return okPage(page, tokens, token);
  },
});

export const contractLists = {
  listcontracts: defineAction({
    summary: "Contracts by age, or those that are verified, unverified or without code",
    params: z.object({
      ...paging(10),
      filter,
      verified_at_start_timestamp: timeBound.describe(
        "With `verified` only: verified at this time or later, Unix seconds",
      ),
      verified_at_end_timestamp: timeBound.describe(
        "With `verified` only: verified before this time, Unix seconds",
      ),
    }),
    result: z.array(
      z.object({
        Address: wire.address,
        ABI: z.string(),
        ContractName: z.string().optional(),
        CompilerVersion: z.string().optional(),
        OptimizationUsed: wire.flag.optional(),
      }),
    ),
    example: { filter: "unverified" },
    refuse: () => ({ httpStatus: 400 }),
    anyPage: true,
    cursor: "members",
    async handle({ read, largeAnswers, page }, input) {
      const { filter: kind } = input;
      if (kind === "verified") {
        const times = {
          from: input.verified_at_start_timestamp,
          before: input.verified_at_end_timestamp,
        };
        const verified = await read((sql) => listVerifiedContracts(sql, page, times));
        return largeAnswers.make(abiBytes(verified), async () =>
          okPage(page, verified, {
            keyOf: ({ verifiedMicroseconds, address }) => [verifiedMicroseconds, address],
            present: (contract) => presentContract(contract.address, contract),
          }),
        );
      }
      const { contracts, summaries } = await read(async (sql) => {
        const contracts = await (kind === "empty"
          ? listEmptyContracts(sql, page)
          : listContracts(sql, kind ?? "all", page));
        const addresses = contracts.map(({ address }) => address);
        return { contracts, summaries: await listVerifiedSummaries(sql, addresses) };
      });
      const byAddress = new Map(summaries.map((summary) => [summary.address, summary]));
      return largeAnswers.make(abiBytes(summaries), async () =>
        okPage(page, contracts, {
          keyOf: (seen) => [seen.blockNumber, seen.transactionIndex, seen.position, seen.address],
          present: ({ address }) => presentContract(address, byAddress.get(address)),
        }),
      );
    },
  }),
  listbyname: defineAction({
    summary:
      "Addresses by the beginning of a label, or of the name or symbol of a token or contract",
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
    async handle({ read, page, labels }, input) {
      const { find, search } = labels();
      const labelled = search(input.name);
      const rows = await read((sql) => listContractsByName(sql, input.name, page, labelled));
      return ok(
        rows.map((row) => found.present({ ...row, nametag: find(row.address)?.name ?? "" })),
      );
    },
  }),
  listnames: defineAction({
    summary: "Names of the tokens and verified contracts among addresses",
    params: z.object({
      addresses: addresses(ADDRESSES, 0, MOST_ROWS).describe(
        `Up to ${MOST_ROWS} addresses, separated by commas`,
      ),
    }),
    result: z.array(named.schema),
    empty: { blockscout: "No contracts found", etherscan: NO_RECORDS },
    example: { addresses: "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35" },
    async handle({ read }, input) {
      const rows = await read((sql) => listNames(sql, input.addresses));
      return ok(rows.map(named.present));
    },
  }),
};

function badFilter(value: string): string {
  return `${value} is not a valid value for \`filter\`. Please use one of: verified, unverified, 1, 2.`;
}

function abiBytes(contracts: readonly VerifiedSummary[]): number {
  return contracts.reduce((bytes, { abi }) => bytes + abi.length, 0);
}

function presentContract(address: Address, verified: VerifiedSummary | undefined) {
  if (!verified) return { Address: address, ABI: NOT_VERIFIED };
  return {
    Address: address,
    ABI: verified.abi,
    ContractName: verified.contractName,
    CompilerVersion: verified.compilerVersion,
    OptimizationUsed: isOptimized(verified) ? ("1" as const) : ("0" as const),
  };
}

const MAXIMUM_ADDRESSES = 100;
const ADDRESS = {
  required: "Query parameter 'address' is required",
  invalid: "Invalid address format",
};

const tagged = wire.defineRecord<Label & { at: Address; changedAt: number }>()({
  address: [wire.address, (row) => row.at],
  nametag: [z.string(), (row) => row.name],
  internal_nametag: [z.literal(""), () => "" as const],
  url: [z.string(), (row) => row.url],
  shortdescription: [z.string(), (row) => row.note],
  notes_1: [z.literal(""), () => "" as const],
  notes_2: [z.literal(""), () => "" as const],
  labels: [z.array(z.string()), (row) => row.tags],
  labels_slug: [z.array(z.string()), (row) => row.tags.map(pathNameOf)],
  reputation: [z.literal(0), () => 0 as const],
  other_attributes: [z.array(z.never()), () => []],
  lastupdatedtimestamp: [
    z.int().describe("Unix seconds of the file's last change"),
    (row) => row.changedAt,
  ],
});

/** Source: docs/wire.md, "Labels". */
export const getaddresstag = defineAction({
  summary: "The operator's own names of addresses (LABELS_FILE)",
  dialect: "etherscan",
  params: z.object({
    address: addresses(ADDRESS, 1, MAXIMUM_ADDRESSES).describe(
      `Address, or up to ${MAXIMUM_ADDRESSES} separated by commas`,
    ),
  }),
  result: z.array(tagged.schema),
  empty: NO_RECORDS,
  example: { address: "0x976ea74026e726554db657fa54763abd0c3a0aa9" },
  servedWhileLoading: true,
  async handle({ labels }, { address }) {
    const { find, changedAt } = labels();
    return ok(
      address.flatMap((each) => {
        const label = find(each);
        return label ? tagged.present({ ...label, at: each, changedAt }) : [];
      }),
    );
  },
});
