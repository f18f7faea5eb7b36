import { z } from "zod";
import type { Chain } from "../../chain/chain.ts";
import { ChainError, RequestError } from "../../core/errors.ts";
import { isHexData, lowerHex } from "../../core/hex.ts";
import { isQuantity } from "../../core/quantity.ts";

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
const senders = z.record(z.string(), z.record(z.string(), transaction));
/** Geth, txpool_content: by sender, then by nonce. */
const pool = z.object({ pending: senders, queued: senders.default({}) });

/** A transaction that waits in a node's pool. */
export type PendingTransaction = z.output<typeof transaction>;

const underWay = new WeakMap<Chain, Promise<PendingTransaction[]>>();

/**
 * Transactions in the node's pool by hash, descending: the node does not tell when they came. None where it does not
 * show its pool. Concurrent calls share one request to the node.
 */
export function fetchPendingTransactions(chain: Chain): Promise<PendingTransaction[]> {
  const shared = underWay.get(chain);
  if (shared) return shared;
  const fetching = fetchPool(chain).finally(() => underWay.delete(chain));
  underWay.set(chain, fetching);
  return fetching;
}

async function fetchPool(chain: Chain): Promise<PendingTransaction[]> {
  if (!chain.capabilities().txpool) return [];
  try {
    const answer = pool.safeParse(await chain.request("txpool_content", []));
    if (!answer.success) {
      const cause = answer.error;
      throw new ChainError("bad-answer", "the node's pool is unreadable", {
        retryable: true,
        cause,
      });
    }
    return [answer.data.pending, answer.data.queued]
      .flatMap((part) => Object.values(part).flatMap((byNonce) => Object.values(byNonce)))
      .sort((a, b) => (a.hash < b.hash ? 1 : -1));
  } catch (error) {
    if (error instanceof ChainError && error.code === "method-missing") return [];
    if (error instanceof ChainError && error.code === "response-too-large") {
      throw new RequestError(503, "The pool of the node is too large to be searched", {
        cause: error,
      });
    }
    throw error;
  }
}
