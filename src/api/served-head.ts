import { ChainError, RequestError } from "../core/errors.ts";
import type { Queryable } from "../db/client.ts";
import { getServedHead, type ServedHead } from "../store/sync-state.ts";

const ATTEMPTS = 2;
const NOTHING_SERVED = "No block is indexed yet, please try again later";
const REORGANISED = "The chain was reorganised meanwhile, please try again";

/**
 * Runs work that asks the node for state at the served head, and gives its result if the chain was not rolled back
 * meanwhile. Otherwise the work is repeated once, then refused with a `RequestError`.
 */
export async function atServedHead<Result>(
  sql: Queryable,
  work: (head: ServedHead) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const head = await getServedHead(sql);
    if (!head) throw new RequestError(503, NOTHING_SERVED);
    try {
      const result = await work(head);
      const after = await getServedHead(sql);
      if (after?.generation === head.generation) return result;
    } catch (error) {
      if (!isReplaced(error)) throw error;
    }
  }
  throw new RequestError(503, REORGANISED);
}

/** The node has left the branch of the served head, and the index has not followed yet. */
function isReplaced(error: unknown): boolean {
  return (
    error instanceof ChainError &&
    (error.code === "block-replaced" || error.code === "block-unknown")
  );
}
