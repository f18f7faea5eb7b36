import type { z } from "zod";
import { type Action, defineAction } from "../../action.ts";

/** Declares an action of module proxy. Source: docs/wire.md, "Module proxy". */
export function defineProxyAction<Params extends z.ZodObject, Result extends z.ZodType>(
  action: Omit<Action<Params, Result>, "dialect" | "envelope" | "emptyIsAbsent">,
): Action<Params, Result> {
  return defineAction({
    ...action,
    dialect: "etherscan",
    envelope: "proxy",
    emptyIsAbsent: true,
  });
}
