import { quantityToBigInt, quantityToNumber } from "../../core/evm/quantity.ts";
import { withoutStateSync } from "../blocks/state-sync.ts";
import type { FetchedBlock, RawTransaction } from "../types.ts";
import { sumGas } from "./receipt-lists.ts";

/**
 * Returns the block as its roots, bloom and gas cover it: without Polygon's state-sync transaction, and without transactions of
 * the system that pay no price and whose gas the header does not count (HyperEVM).
 */
export function coveredByRoots(fetched: FetchedBlock): FetchedBlock {
  const rest = withoutStateSync(fetched);
  const { block, receipts } = rest;
  const isPaid = (transaction: RawTransaction, index: number): boolean =>
    quantityToBigInt(receipts[index]?.effectiveGasPrice ?? transaction.gasPrice ?? "0x1") > 0n;
  const paid = block.transactions.map(isPaid);
  if (!paid.includes(false)) return rest;
  const used = quantityToNumber(block.gasUsed);
  const covered = receipts.filter((_, index) => paid[index]);
  if (sumGas(receipts) === used || sumGas(covered) !== used) return rest;
  const transactions = block.transactions.filter((_, index) => paid[index]);
  return { ...rest, block: { ...block, transactions }, receipts: covered };
}
