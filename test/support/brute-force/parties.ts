import type { Address } from "viem";
import { addressOf } from "./parameters.ts";
import { fail, type Question, type WireAnswer } from "./wire.ts";

/** A test of entries by whom they go from and to. */
export type PartyTest = (entry: { from: Address; to: Address | null }) => boolean;

/**
 * Applies `from`, `to` and `fromto_opr` in Etherscan's dialect: returns a refusal, or a test;
 * undefined without parties. The caller checks the address before.
 */
export function partyFilter({ dialect, parameters }: Question): WireAnswer | PartyTest | undefined {
  if (dialect === "blockscout") return undefined;
  const [from, to] = [parameters.get("from"), parameters.get("to")];
  if (from === undefined && to === undefined) return undefined;
  const operator = parameters.get("fromto_opr")?.toLowerCase();
  const isCombined = parameters.get("address") !== undefined;
  // Absent parameters come before malformed ones.
  if (from !== undefined && to !== undefined && operator === undefined && !isCombined) {
    return fail(dialect, "Required query parameters missing: fromto_opr");
  }
  const sender = from === undefined ? undefined : addressOf(from);
  const receiver = to === undefined ? undefined : addressOf(to);
  if (from !== undefined && !sender) return fail(dialect, "Invalid from format");
  if (to !== undefined && !receiver) return fail(dialect, "Invalid to format");
  if (isCombined) return fail(dialect, "address cannot be combined with from or to");
  if (!sender || !receiver) {
    return (entry) => (sender ? entry.from === sender : entry.to === receiver);
  }
  if (operator === "and") return (entry) => entry.from === sender && entry.to === receiver;
  if (operator === "or") return (entry) => entry.from === sender || entry.to === receiver;
  return fail(dialect, "Invalid fromto_opr format");
}
