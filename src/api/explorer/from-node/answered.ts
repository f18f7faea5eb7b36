import { ChainError } from "../../../core/errors.ts";

/** The node's answer about a contract. Throws `ChainError` without one: unknown is not the same as empty. */
export function answered<Value>(value: Value | undefined): Value {
  if (value !== undefined) return value;
  throw new ChainError("unavailable", "the node leaves a contract call unanswered");
}
