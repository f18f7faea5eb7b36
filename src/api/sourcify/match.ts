import { getAddress } from "viem/utils";
import { z } from "zod";
import type { Address } from "../../core/evm/address.ts";
import type { VerifiedMatch } from "../../store/contracts/verified/lookup.ts";
import type { MatchQuality } from "../../store/contracts/verified/verified-contract.ts";

const level = z.enum(["exact_match", "match"]).nullable();

/** The fields of a contract in every answer. */
export const minimalContract = z.object({
  match: level,
  creationMatch: level,
  runtimeMatch: level,
  chainId: z.string(),
  address: z.string(),
  verifiedAt: z.string().optional(),
  matchId: z.string().optional(),
});

export type MinimalContract = z.output<typeof minimalContract>;

/** Presents the minimal object of a contract; `found` undefined when it is not verified. */
export function presentMatch(
  chainId: number,
  address: Address,
  found: VerifiedMatch | undefined,
): MinimalContract {
  const creationMatch = presentLevel(found?.creationMatch);
  const runtimeMatch = presentLevel(found?.runtimeMatch);
  const levels = [creationMatch, runtimeMatch];
  return {
    match: levels.includes("exact_match") ? "exact_match" : (creationMatch ?? runtimeMatch),
    creationMatch,
    runtimeMatch,
    chainId: String(chainId),
    address: getAddress(address),
    ...(found && {
      verifiedAt: presentTime(found.verifiedAtSeconds),
      matchId: String(found.matchId),
    }),
  };
}

function presentLevel(quality: MatchQuality | null | undefined): MinimalContract["match"] {
  if (quality == null) return null;
  return quality === "full" ? "exact_match" : "match";
}

/** Formats `2026-11-22T01:00:00Z`. */
export function presentTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/, "Z");
}
