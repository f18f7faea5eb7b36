import type { AskOptions, RpcCall } from "../../../chain/chain.ts";
import type { Context } from "../../action.ts";
import { type Outcome, ok, type RpcError, rpcError } from "../../envelope.ts";
import { UNREACHABLE } from "../../failures.ts";

/** The node's own answer to a call, its result or its error, unchanged. The type of the result is not checked. */
export async function forward<Result>(
  { chain }: Pick<Context, "chain">,
  call: RpcCall,
  options?: AskOptions,
): Promise<Outcome<Result>> {
  const [answer] = await chain.forward([call], options);
  if (answer && "result" in answer) return ok(answer.result as Result);
  const isError = answer && "error" in answer && isErrorObject(answer.error);
  return rpcError(isError ? (answer.error as RpcError) : UNREACHABLE);
}

function isErrorObject(error: unknown): error is RpcError {
  if (typeof error !== "object" || error === null) return false;
  const { code, message } = error as { code?: unknown; message?: unknown };
  return Number.isInteger(code) && typeof message === "string";
}
