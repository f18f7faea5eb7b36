import type { z } from "zod";
import type { RpcContext } from "../../../eth-rpc/rpc.ts";
import type { Action } from "../../action.ts";
import type { Outcome } from "../../envelope.ts";

/** An action of module proxy. It is also a method of `/ots`, hence its smaller context. */
export type ProxyAction<
  Params extends z.ZodObject = z.ZodObject,
  Result extends z.ZodType = z.ZodType,
> = Omit<Action<Params, Result>, "handle"> & {
  handle(context: ProxyContext, input: z.output<Params>): Promise<Outcome<z.output<Result>>>;
};

/** Dependencies of a method that both endpoints have. */
export type ProxyContext = Omit<RpcContext, "forward">;

/** Declares an action of module proxy. Source: docs/wire.md, "Module proxy". */
export function defineProxyAction<Params extends z.ZodObject, Result extends z.ZodType>(
  action: Omit<ProxyAction<Params, Result>, "dialect" | "envelope" | "emptyIsAbsent">,
): ProxyAction<Params, Result> {
  return { ...action, dialect: "etherscan", envelope: "proxy", emptyIsAbsent: true };
}
