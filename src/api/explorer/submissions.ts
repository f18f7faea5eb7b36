import { type Input, lookUp } from "../http/input/form.ts";
import { actionsOf } from "./registry.ts";

/** Returns whether the parameters name a submission; undefined while module or action is absent. */
export function namesSubmission(input: Input): boolean | undefined {
  const module = lookUp(input, "module");
  const action = lookUp(input, "action");
  if (module === undefined || action === undefined) return undefined;
  if (typeof module !== "string" || typeof action !== "string") return false;
  const named = actionsOf(module.toLowerCase(), "etherscan")?.get(action.toLowerCase());
  return named?.isSubmission ?? false;
}
