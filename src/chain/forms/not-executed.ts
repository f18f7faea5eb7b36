import { quantity, quantityToNumber } from "../../core/evm/quantity.ts";
import { isNothing } from "../../core/json/record.ts";
import type { FetchedBlock } from "../types.ts";
import { withOddity } from "./oddity.ts";
import { sumGas } from "./receipt-lists.ts";

/**
 * Leaves out transactions that have no receipt, since they never ran (Ethermint chains list those that a block had no gas
 * for). The others keep their indexes. A lagging node lacks receipts too: the oddity's kind says whether the gas of
 * the receipts is all that the block used.
 */
export function leaveOutUnexecuted(fetched: FetchedBlock): FetchedBlock {
  const { block, receipts } = fetched;
  const executed = new Set(receipts.map((receipt) => receipt?.transactionHash));
  const rest = block.transactions.filter(({ hash }) => !executed.has(hash));
  if (rest.length === 0) return fetched;
  const kept = [...block.transactions.entries()].filter(([, { hash }]) => executed.has(hash));
  const indexes = kept.map(([position, { transactionIndex }]) =>
    isNothing(transactionIndex) ? position : quantityToNumber(transactionIndex),
  );
  // Some nodes number receipts among the executed ones; a transaction has one index.
  const placed = receipts.map((receipt, position) =>
    receipt.transactionIndex === quantity(position)
      ? { ...receipt, transactionIndex: quantity(indexes[position] ?? position) }
      : receipt,
  );
  const transactions = kept.map(([, transaction]) => transaction);
  return withOddity(
    { ...fetched, block: { ...block, transactions }, receipts: placed, indexes },
    {
      kind: sumGas(receipts) === quantityToNumber(block.gasUsed) ? "not-executed" : "no-receipt",
      reason: `${rest.length} of its transactions have no receipt, as if they never ran: ${rest[0]?.hash}; where the node pruned them, name one that has them in RPC_URL, or begin an empty database at a later START_BLOCK`,
    },
  );
}
