import { quantity, quantityToNumber } from "../../core/evm/quantity.ts";
import type { FetchedBlock } from "../types.ts";
import { withOddity } from "./oddity.ts";
import { sumGas } from "./receipt-lists.ts";

/**
 * Leaves out transactions that have no receipt, since they never ran (Ethermint chains list those that a block had no gas
 * for). The others are numbered through. A node that is late lacks receipts too: the oddity's kind says whether the gas of
 * the receipts is all that the block used.
 */
export function leaveOutUnexecuted(fetched: FetchedBlock): FetchedBlock {
  const { block, receipts } = fetched;
  const executed = new Set(receipts.map((receipt) => receipt?.transactionHash));
  const rest = block.transactions.filter(({ hash }) => !executed.has(hash));
  if (rest.length === 0) return fetched;
  const transactions = block.transactions
    .filter(({ hash }) => executed.has(hash))
    .map((transaction, index) => ({ ...transaction, transactionIndex: quantity(index) }));
  const renumbered = receipts.map((receipt, index) => ({
    ...receipt,
    transactionIndex: quantity(index),
  }));
  return withOddity(
    { ...fetched, block: { ...block, transactions }, receipts: renumbered },
    {
      kind: sumGas(receipts) === quantityToNumber(block.gasUsed) ? "not-executed" : "no-receipt",
      reason: `${rest.length} of its transactions have no receipt, as if they never ran: ${rest[0]?.hash}; where the node pruned them, name one that has them in RPC_URL, or begin an empty database at a later START_BLOCK`,
    },
  );
}
