import type { CallerChain } from "../../../../chain/caller-chain.ts";
import { ChainError } from "../../../../core/errors.ts";
import type { Address } from "../../../../core/evm/address.ts";
import type { Hex } from "../../../../core/evm/hex.ts";
import { isExactQuantity, quantity, quantityToNumber } from "../../../../core/evm/quantity.ts";
import { isRecord } from "../../../../core/json/record.ts";
import { getTransaction, type TransactionDetail } from "../../../../store/lists/transactions.ts";
import type { ServedHead } from "../../../../store/sync-state.ts";
import type { Read } from "../../../reading/snapshot.ts";

// An index may begin later than its chain. Of what is older, the node tells what it can.

type Start = Pick<ServedHead, "startBlock">;
type Unread = Readonly<Record<string, unknown>>;

/** Words on what only blocks before the first indexed one could tell. */
export function notIndexed({ startBlock }: Start): string {
  return `Blocks before ${startBlock} are not indexed`;
}

/** Whether the node's transaction or receipt is of a block before the first indexed one. */
export function isEarlier({ blockNumber }: Unread, { startBlock }: Start): boolean {
  return isExactQuantity(blockNumber) && quantityToNumber(blockNumber) < startBlock;
}

/** The node's receipt when it is of a block before the first indexed one; else null. */
export function earlierReceipt(receipt: unknown, start: Start): Unread | null {
  return isRecord(receipt) && isEarlier(receipt, start) ? receipt : null;
}

/** The same, of a transaction that the index lacks; nobody is asked where the index has the whole chain. */
export async function fetchEarlierReceipt(
  chain: CallerChain,
  hash: Hex,
  start: Start,
): Promise<Unread | null> {
  if (start.startBlock === 0) return null;
  return earlierReceipt(await chain.request("eth_getTransactionReceipt", [hash]), start);
}

/** A transaction of the index, or the receipt of one that only the node has; neither where nobody knows it. */
export async function findTransaction(
  { read, chain }: { read: Read; chain: CallerChain },
  hash: Hex,
): Promise<{ transaction?: TransactionDetail | undefined; earlier?: Unread | null }> {
  const { transaction, head } = await read(
    async (sql, served) => ({ transaction: await getTransaction(sql, hash), head: await served }),
    "one statement",
  );
  return transaction ? { transaction } : { earlier: await fetchEarlierReceipt(chain, hash, head) };
}

/** Whether an account had coins, or had sent anything, before the first indexed block, as far as the node can tell. */
export async function mayHaveBeenFunded(
  chain: CallerChain,
  account: Address,
  { startBlock }: Start,
): Promise<boolean> {
  if (startBlock === 0) return false;
  const asked = ["eth_getBalance", "eth_getTransactionCount"].map((method) =>
    chain.request(method, [account, quantity(startBlock - 1)]),
  );
  try {
    return (await Promise.all(asked)).some((answer) => answer !== "0x0");
  } catch (error) {
    if (error instanceof ChainError && error.code === "state-unavailable") return true;
    throw error;
  }
}
