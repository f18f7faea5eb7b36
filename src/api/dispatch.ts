import { RequestError } from "../core/errors.ts";
import type { Action, RawParameters, Services } from "./action.ts";
import {
  type Answer,
  type Dialect,
  explorerAnswer,
  failed,
  forDialect,
  type Outcome,
  rpcAnswer,
} from "./envelope.ts";
import { type Input, type InputValue, lookUp, type ParsedRequest } from "./input.ts";
import type { LoadingGuard } from "./loading.ts";
import { actionsOf } from "./registry.ts";

/** Runs an action and gives the answer in its envelope. Throws what is no outcome of the action itself. */
export type Dispatch = (
  action: Action,
  request: ParsedRequest,
  dialect: Dialect,
) => Promise<Answer>;

const DEFAULT_RPC_ID = 1;
const WRONG_CHAIN =
  "Missing or unsupported chainid parameter (required for v2 api), please see chainlist for the list of supported chainids";

/** What a request calls its module and action. Throws `RequestError` when one of them is absent. */
export function namesIn(input: Input): { module: InputValue; action: InputValue } {
  const module = lookUp(input, "module");
  const action = lookUp(input, "action");
  if (module === undefined || action === undefined) {
    throw new RequestError(400, "Params 'module' and 'action' are required parameters");
  }
  return { module, action };
}

/** The action that a request names. Throws `RequestError` with the wire's words when there is none. */
export function findAction(input: Input): { module: string; action: Action } {
  const names = namesIn(input);
  const module = nameOf(names.module);
  const actions = actionsOf(module);
  if (!actions) throw new RequestError(400, "Unknown module");
  const action = actions.get(nameOf(names.action));
  if (!action) throw new RequestError(400, "Unknown action");
  return { module, action };
}

/** Lists and objects of a JSON body name nothing. */
function nameOf(value: InputValue): string {
  return typeof value === "string" ? value.toLowerCase() : "";
}

/** Creates the one dispatcher of a server. */
export function createDispatch(services: Services, refuseWhileLoading: LoadingGuard): Dispatch {
  async function run(action: Action, input: Input, dialect: Dialect): Promise<Outcome<unknown>> {
    if (dialect === "etherscan" && isForeignChain(lookUp(input, "chainid"), services.chainId)) {
      throw new RequestError(200, WRONG_CHAIN);
    }
    const parameters = collect(action, input, dialect);
    const complaint = action.check?.(parameters, dialect);
    if (complaint !== undefined) return failed(complaint);
    const parsed = action.params.safeParse(parameters);
    if (!parsed.success) return refusal(action, parsed.error.issues, parameters);
    if (!action.servedWhileLoading) await refuseWhileLoading();
    return action.handle({ ...services, dialect, sent: input }, parsed.data);
  }

  return async (action, request, dialect) => {
    const outcome = await run(action, request.input, dialect);
    if (action.envelope === "json-rpc") {
      return rpcAnswer(outcome, action.id ?? request.id ?? DEFAULT_RPC_ID);
    }
    const empty = action.empty === undefined ? undefined : forDialect(action.empty, dialect);
    return explorerAnswer(outcome, dialect, empty);
  };
}

/** The parameters that the action knows; whatever else was sent is ignored. */
function collect(action: Action, input: Input, dialect: Dialect): RawParameters {
  const defaults = dialect === "etherscan" ? action.etherscanDefaults : undefined;
  const parameters: Record<string, RawParameters[string]> = {};
  for (const name of Object.keys(action.params.shape)) {
    parameters[name] = lookUp(input, name) ?? defaults?.[name];
  }
  return parameters;
}

/** Absent parameters come before bad values; both in the order that the action declares. */
function refusal(
  action: Action,
  issues: readonly { path: readonly PropertyKey[]; message: string }[],
  parameters: RawParameters,
): Outcome<unknown> {
  const complaints = issues.map(({ path, message }) => ({ name: String(path[0]), text: message }));
  const absent = complaints.filter(({ name }) => parameters[name] === undefined);
  const first = absent[0] ?? complaints[0];
  if (!first) throw new TypeError(`${action.name} refused its parameters without a reason`);
  const text =
    absent.length > 0 && action.missing
      ? action.missing(absent.map(({ name }) => name))
      : first.text;
  return action.refuse?.(text, first.name) ?? failed(text);
}

/** Empty counts as not given: a client of the wire sends the name without a value. */
function isForeignChain(chainId: unknown, ours: () => number): boolean {
  return chainId !== undefined && chainId !== "" && chainId !== String(ours());
}
