import type { CallerChain } from "../../../../chain/caller-chain.ts";
import { ChainError } from "../../../../core/errors.ts";
import type { Address } from "../../../../core/evm/address.ts";
import type { Hex } from "../../../../core/evm/hex.ts";
import { isExactQuantity, quantity, quantityToNumber } from "../../../../core/evm/quantity.ts";
import { isRecord } from "../../../../core/json/record.ts";
import { getTransaction, type TransactionDetail } from "../../../../store/lists/transactions.ts";
import type { ServedHead } from "../../../../store/sync-state.ts";
import type { Read } from "../../../reading/snapshot.ts";

// An index may begin later than its chain. The node then answers about older blocks as far as it can.

type Start = Pick<ServedHead, "startBlock">;
type Unread = Readonly<Record<string, unknown>>;

/** Returns a text about facts from before the first indexed block. */
export function notIndexed({ startBlock }: Start): string {
  return `Blocks before ${startBlock} are not indexed`;
}

/** Returns whether the node's transaction or receipt is from before the first indexed block. */
export function isEarlier({ blockNumber }: Unread, { startBlock }: Start): boolean {
  return isExactQuantity(blockNumber) && quantityToNumber(blockNumber) < startBlock;
}

/** Returns the node's receipt when it is from before the first indexed block; else null. */
export function earlierReceipt(receipt: unknown, start: Start): Unread | null {
  return isRecord(receipt) && isEarlier(receipt, start) ? receipt : null;
}

/** Returns the same by the hash of a transaction that is not indexed; null at once if the index has the whole chain. */
export async function fetchEarlierReceipt(
  chain: CallerChain,
  hash: Hex,
  start: Start,
): Promise<Unread | null> {
  if (start.startBlock === 0) return null;
  return earlierReceipt(await chain.request("eth_getTransactionReceipt", [hash]), start);
}

/** Returns a transaction of the index, or the receipt of one that only the node has; neither for an unknown hash. */
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

/** Returns whether an account had coins, or had sent a transaction, before the first indexed block, as far as the node can show. */
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
