import type { z } from "zod";
import type { NodeName, RpcCall } from "../../../../chain/options.ts";
import type { ErrorCode } from "../../../../core/errors.ts";
import { UNANSWERED } from "../../../http/failures.ts";
import type { Definition, Reading } from "../../action.ts";
import { type Outcome, ok, rpcError } from "../../envelope.ts";
import { type Forwarded, forwardCalls } from "../../forwarding.ts";

/** Forwards a call and returns the node's result or error, unchanged and unchecked; from any node by default. */
export async function forward<Result>(
  { chain }: Pick<Reading, "chain">,
  call: RpcCall,
  node?: NodeName,
): Promise<Outcome<Result>> {
  const [answer] = await forwardCalls(chain, [call], node);
  return outcomeOf(answer ?? UNANSWERED.unreachable);
}

/** Converts the node's answer into an outcome. The type of the result is not checked. */
export function outcomeOf<Result>(answer: Forwarded): Outcome<Result> {
  return "error" in answer ? rpcError(answer.code, answer.error) : ok(answer.result as Result);
}

/** Returns whether the error means that the node did not answer. */
export function isUnanswered(code: ErrorCode): boolean {
  return code === "busy" || code === "node-unreachable";
}

/** An action of module proxy. It is also a method of `/ots`, hence its smaller context. */
export type ProxyAction<
  Params extends z.ZodObject = z.ZodObject,
  Result extends z.ZodType = z.ZodType,
> = Omit<Definition<Params, Result>, "handle"> & {
  handle(context: Reading, input: z.output<Params>): Promise<Outcome<z.output<Result>>>;
};

/** Declares an action of module proxy. Source: docs/wire.md, "Module proxy". */
export function defineProxyAction<Params extends z.ZodObject, Result extends z.ZodType>(
  action: Omit<ProxyAction<Params, Result>, "dialect" | "envelope" | "emptyIsAbsent">,
): ProxyAction<Params, Result> {
  return { ...action, dialect: "etherscan", envelope: "proxy", emptyIsAbsent: true };
}
