import { z } from "zod";
import { parseInteger } from "../../../../core/decimal.ts";
import type { Address } from "../../../../core/evm/address.ts";
import { listContracts, listEmptyContracts } from "../../../../store/contracts/list.ts";
import {
  listVerifiedContracts,
  listVerifiedSummaries,
  type VerifiedSummary,
} from "../../../../store/contracts/verified/summaries.ts";
import { defineAction } from "../../action.ts";
import { okPage } from "../../envelope.ts";
import { paging, timeBound } from "../../params.ts";
import { isOptimized, NOT_VERIFIED } from "../../present/verified-contract.ts";
import * as wire from "../../wire.ts";
import { listbyname, listnames } from "./names.ts";

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

function badFilter(value: string): string {
  return `${value} is not a valid value for \`filter\`. Please use one of: verified, unverified, 1, 2.`;
}

const listcontracts = defineAction({
  name: "listcontracts",
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
});

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

export const contractLists = [listcontracts, listbyname, listnames];
