import { z } from "zod";
import { type CallerChain, forCaller } from "../../../../chain/caller-chain.ts";
import type { Chain } from "../../../../chain/chain.ts";
import { keepResult } from "../../../../core/async.ts";
import { ChainError, RequestError } from "../../../../core/errors.ts";
import type { Address } from "../../../../core/evm/address.ts";
import { type Hex, isHexData, lowerHex } from "../../../../core/evm/hex.ts";
import {
  isExactQuantity,
  isQuantity,
  quantity,
  quantityToNumber,
} from "../../../../core/evm/quantity.ts";
import { isRecord } from "../../../../core/json/record.ts";
import { getTransaction, type TransactionDetail } from "../../../../store/lists/transactions.ts";
import type { ServedHead } from "../../../../store/sync-state.ts";
import type { Read } from "../../../reading/snapshot.ts";
import { type Failure, failed } from "../../envelope.ts";

// An index may begin later than its chain. The node then answers about older blocks as far as it can.

type Start = Pick<ServedHead, "startBlock">;
type Unread = Readonly<Record<string, unknown>>;

/** Returns a text about facts from before the first indexed block. */
export function notIndexed({ startBlock }: Start): string {
  return `Blocks before ${startBlock} are not indexed`;
}

/** Returns whether the node's transaction or receipt is from before the first indexed block. */
function isEarlier({ blockNumber }: Unread, { startBlock }: Start): boolean {
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

/** Returns the failure for a transaction that is from before the first indexed block; undefined for any other. */
export async function refuseEarlier(
  chain: CallerChain,
  hash: Hex,
  start: Start,
): Promise<Failure | undefined> {
  const earlier = await fetchEarlierReceipt(chain, hash, start);
  return earlier ? failed("not-found", notIndexed(start)) : undefined;
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

const TOO_LARGE = "The pool of the node is too large to be searched";

const data = z.string().refine(isHexData).transform(lowerHex);
const amount = z.string().refine(isQuantity);

const transaction = z.object({
  hash: data,
  from: data,
  to: data.nullish().transform((to) => to ?? null),
  nonce: amount,
  value: amount,
  gas: amount,
  gasPrice: amount.nullish(),
  maxFeePerGas: amount.nullish(),
  input: data,
});
const count = z.string().refine(isExactQuantity);
const status = z.object({ pending: count, queued: count });

/** A transaction in a node's pool. */
export type PendingTransaction = z.output<typeof transaction>;

/** Most transactions of a pool. They come in one answer of 1.5 KB or more each, and parsing it blocks the thread. */
const MOST_TRANSACTIONS = 10_000;
const KEPT_MS = 3000;

/** Returns a party's transactions in the node's pool by hash, descending; the pool is cached for seconds. Throws `RequestError`. */
export type Mempool = (
  party: Address,
  side: "from" | "to" | undefined,
) => Promise<PendingTransaction[]>;

/** Creates the view of the pool of one chain's nodes, shared by all clients. */
export function createMempool(of: Chain): Mempool {
  const chain = forCaller({ caller: "mempool" }, of);
  const fetchShared = keepResult(() => fetchPool(chain), KEPT_MS);

  return async (party, side) => {
    const fields = side === undefined ? ["from", "to"] : [side];
    const all = await fetchShared();
    const own = all.filter((one) =>
      fields.some((field) => String(one[field]).toLowerCase() === party),
    );
    return readable(z.array(transaction).safeParse(own)).sort((a, b) => (a.hash < b.hash ? 1 : -1));
  };
}

/** Removes the block from a node's transaction, since it is not served yet. A block before the first indexed one stays. */
export function withoutUnservedBlock(
  transaction: Unread,
  start: Pick<ServedHead, "startBlock">,
): Unread {
  if (isEarlier(transaction, start)) return transaction;
  return { ...transaction, blockHash: null, blockNumber: null, transactionIndex: null };
}

async function fetchPool(chain: CallerChain): Promise<readonly Unread[]> {
  if (!chain.capabilities().txpool) return [];
  try {
    const size = readable(status.safeParse(await chain.request("txpool_status", [])));
    if (quantityToNumber(size.pending) + quantityToNumber(size.queued) > MOST_TRANSACTIONS) {
      throw new RequestError(503, "too-large", TOO_LARGE);
    }
    // geth's form: by sender, then by nonce. The transactions are parsed on demand.
    const content = await chain.request("txpool_content", []);
    const { pending, queued = {} } = isRecord(content) ? content : {};
    return [pending, queued].flatMap(recordsIn).flatMap(recordsIn);
  } catch (error) {
    if (error instanceof ChainError && error.code === "method-missing") return [];
    if (error instanceof ChainError && error.code === "response-too-large") {
      throw new RequestError(503, "too-large", TOO_LARGE, { cause: error });
    }
    throw error;
  }
}

function recordsIn(content: unknown): Unread[] {
  const records = isRecord(content) ? Object.values(content) : [undefined];
  if (records.every(isRecord)) return records;
  throw unreadable();
}

function readable<Data>(answer: z.ZodSafeParseResult<Data>): Data {
  if (answer.success) return answer.data;
  throw unreadable(answer.error);
}

function unreadable(cause?: Error): ChainError {
  return new ChainError("bad-answer", "the node's pool is unreadable", { cause });
}
