import type { Address } from "../../../core/evm/address.ts";
import { isContractCode } from "../../../core/evm/contract-code.ts";
import type { Hex } from "../../../core/evm/hex.ts";
import type { CodePresence } from "../../../store/contracts/creations.ts";
import type { ServedHead } from "../../../store/sync-state.ts";
import type { Context } from "../action.ts";

/** Returns the addresses that are contracts at the head; asks the node about those missing in the index. */
export async function readContracts(
  { chain }: Pick<Context, "chain">,
  presences: readonly CodePresence[],
  head: ServedHead,
): Promise<Set<Address>> {
  const unknown = presences
    .filter(({ isContract }) => isContract === null)
    .map(({ address }) => address);
  const codes = unknown.length === 0 ? [] : await chain.fetchCodes(unknown, head);
  return new Set([
    ...presences.filter(({ isContract }) => isContract).map(({ address }) => address),
    ...unknown.filter((_, index) => isContractCode(codes[index] as Hex)),
  ]);
}
