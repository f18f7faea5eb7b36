import type { Hex } from "../../core/evm/hex.ts";
import { quantityToNumber } from "../../core/evm/quantity.ts";
import type { FetchedBlock, RawReceipt } from "../types.ts";
import { withOddity } from "./oddity.ts";

/** Returns the gas that the transactions of receipts used. */
export function sumGas(receipts: readonly RawReceipt[]): number {
  return receipts.reduce((sum, { gasUsed }) => sum + quantityToNumber(gasUsed), 0);
}

/**
 * Puts the receipts into the order of the transactions. Lists of gateways and of Hedera's relay have some twice, nulls among
 * them, or another order; Celo's has one of the block itself, whose logs belong to no transaction.
 * The oddity's kind says whether the transactions that are listed used all the gas of the block, or some may be missing.
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
  const isComplete =
    sumGas(aligned) === quantityToNumber(block.gasUsed) || (rest === 1 && byHash.has(block.hash));
  const found = `${rest} receipts belong to none of its transactions`;
  return withOddity(
    own,
    isComplete
      ? { kind: "extra-receipts", reason: `${found}, and their logs are left out` }
      : {
          kind: "no-transaction",
          reason: `${found}; where the node cuts its lists, name one in RPC_URL that does not`,
        },
  );
}
