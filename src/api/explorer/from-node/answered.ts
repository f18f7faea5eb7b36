import { ChainError } from "../../../core/errors.ts";

/** Returns the node's answer about a contract. Throws `ChainError` without one: unknown differs from empty. */
export function answered<Value>(value: Value | undefined): Value {
  if (value !== undefined) return value;
  throw new ChainError("unavailable", "the node leaves a contract call unanswered");
}
