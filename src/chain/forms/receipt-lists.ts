import type { Hex } from "../../core/evm/hex.ts";
import type { FetchedBlock, RawReceipt } from "../types.ts";
import { withOddity } from "./oddity.ts";

/**
 * Puts the receipts into the order of the transactions. Lists of gateways and of Hedera's relay have some twice, nulls among
 * them, or another order; Celo's has one of the block itself, whose logs belong to no transaction.
 */
export function alignReceipts(fetched: FetchedBlock): FetchedBlock {
  const { block, receipts } = fetched;
  const { transactions } = block;
  const isAligned =
    receipts.length <= transactions.length &&
    receipts.every((receipt, index) => receipt?.transactionHash === transactions[index]?.hash);
  if (isAligned) return fetched;
  const byHash = new Map<Hex, RawReceipt>();
  for (const receipt of receipts as (RawReceipt | null)[]) {
    if (receipt?.transactionHash && !byHash.has(receipt.transactionHash)) {
      byHash.set(receipt.transactionHash, receipt);
    }
  }
  const aligned = transactions.flatMap(({ hash }) => byHash.get(hash) ?? []);
  const rest = byHash.size - aligned.length;
  const own = { ...fetched, receipts: aligned };
  if (rest === 0) return own;
  const reason = `${rest} receipts belong to none of its transactions, and their logs are left out`;
  return withOddity(own, { kind: "extra-receipts", reason });
}
