import { z } from "zod";
import type { Address } from "../../../core/address.ts";
import { parseInteger } from "../../../core/decimal.ts";
import type { Queryable } from "../../../db/client.ts";
import { listContracts, listEmptyContracts } from "../../../store/contract-list.ts";
import type { PageRange } from "../../../store/page.ts";
import { readSnapshot } from "../../../store/snapshot.ts";
import {
  listVerifiedContracts,
  listVerifiedSummaries,
  type VerifiedSummary,
} from "../../../store/verified-contracts.ts";
import { defineAction } from "../../action.ts";
import { failed, ok } from "../../envelope.ts";
import { offset, page, pageRange, timeBound } from "../../params.ts";
import { isOptimized, NOT_VERIFIED } from "../../present/verified-contract.ts";
import * as wire from "../../wire.ts";

const ROWS = 10;
const FILTERS = ["verified", "unverified", "empty"] as const;
type Filter = (typeof FILTERS)[number];

/** A kind of contracts by its name, or by its number among them. */
const filter = z
  .string({ error: ({ input }) => badFilter(JSON.stringify(input)) })
  .transform((value, { issues }): Filter => {
    const named =
      FILTERS.find((name) => name === value) ?? FILTERS[Number(parseInteger(value) ?? 0n) - 1];
    if (named) return named;
    issues.push({ code: "custom", message: badFilter(value), input: value });
    return z.NEVER;
  })
  .optional();

function badFilter(value: string): string {
  return `${value} is not a valid value for \`filter\`. Please use one of: verified, unverified, 1, 2.`;
}

export const listcontracts = defineAction({
  name: "listcontracts",
  summary: "Contracts by age, or those that are verified, unverified or without code",
  envelope: "explorer",
  params: z.object({
    page,
    offset: offset(ROWS),
    filter,
    verified_at_start_timestamp: timeBound,
    verified_at_end_timestamp: timeBound,
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
  refuse: (complaint) => failed(complaint, { httpStatus: 400 }),
  async handle({ sql }, input) {
    const range = pageRange(input);
    const { filter: kind } = input;
    if (kind === "verified") {
      const times = {
        from: input.verified_at_start_timestamp,
        before: input.verified_at_end_timestamp,
      };
      const verified = await listVerifiedContracts(sql, range, times);
      return ok(verified.map((contract) => presentContract(contract.address, contract)));
    }
    const { addresses, summaries } = await readSnapshot(sql, async (snapshot) => {
      const found = await listAddresses(snapshot, kind, range);
      return { addresses: found, summaries: await listVerifiedSummaries(snapshot, found) };
    });
    const byAddress = new Map(summaries.map((summary) => [summary.address, summary]));
    return ok(addresses.map((address) => presentContract(address, byAddress.get(address))));
  },
});

function listAddresses(
  sql: Queryable,
  kind: "unverified" | "empty" | undefined,
  range: PageRange,
): Promise<Address[]> {
  return kind === "empty"
    ? listEmptyContracts(sql, range)
    : listContracts(sql, kind ?? "all", range);
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
