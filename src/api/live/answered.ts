import { ChainError } from "../../core/errors.ts";

/** What the node said of a contract. Throws `ChainError` when it did not say: what is unknown is not told as nothing. */
export function answered<Value>(value: Value | undefined): Value {
  if (value !== undefined) return value;
  throw new ChainError("unavailable", "the node leaves a contract call unanswered", {
    retryable: true,
  });
}
