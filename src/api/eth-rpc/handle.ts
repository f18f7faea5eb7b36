import type { RpcCall } from "../../chain/chain.ts";
import { RequestError } from "../../core/errors.ts";
import type { Services } from "../action.ts";
import { inTime } from "../deadline.ts";
import { type Answer, jsonAnswer, type RpcId } from "../envelope.ts";
import { requestErrorOf } from "../failures.ts";
import type { LoadingGuard } from "../loading.ts";
import {
  checkForwarded,
  completeForwarded,
  type ForwardedMethod,
  forwardedMethods,
} from "./forwarded.ts";
import { indexMethods } from "./methods.ts";
import { type IndexMethod, type RpcOutcome, rpcFailure } from "./rpc.ts";

export interface RpcOptions {
  /** Whether `eth_sendRawTransaction` is passed on to the node. */
  sendRawTransaction: boolean;
  /** Time that an answer may take, see `inTime`. */
  requestTimeoutMs: number;
}

/** What is to be done for one entry of a request. */
type Plan =
  | { kind: "answered"; outcome: RpcOutcome }
  | { kind: "index"; method: IndexMethod; parameters: readonly unknown[] }
  | { kind: "forward"; call: RpcCall };

const MAXIMUM_BATCH = 5;
const UNREACHABLE = { code: -32_603, message: "upstream node is not reachable" };
const INCOMPLETE = answered("Method, and jsonrpc are required parameters.");
const NO_LIST = answered("Invalid params. Params must be a list.");

/** Answers a parsed body: one request, or a batch in its order. */
export type RpcHandler = (body: unknown) => Promise<Answer>;

/** Creates the JSON-RPC side of a server. Throws `RequestError` for a batch that is too long. */
export function createRpcHandler(
  services: Services & RpcOptions,
  refuseWhileLoading: LoadingGuard,
): RpcHandler {
  async function readIndex(
    method: IndexMethod,
    parameters: readonly unknown[],
  ): Promise<RpcOutcome> {
    if (!method.servedWhileLoading) await refuseWhileLoading();
    return method.answer(services, parameters);
  }

  async function answerFromIndex(
    method: IndexMethod,
    parameters: readonly unknown[],
  ): Promise<RpcOutcome> {
    try {
      return await inTime(readIndex(method, parameters), services.requestTimeoutMs);
    } catch (thrown) {
      const known = requestErrorOf(thrown);
      if (!known || known.httpStatus >= 500) services.log.error({ err: thrown }, "request failed");
      return rpcFailure(known?.message ?? "Something went wrong.");
    }
  }

  /** All calls in one batch. */
  async function forward(calls: readonly RpcCall[]): Promise<RpcOutcome[]> {
    if (calls.length === 0) return [];
    try {
      const answers = await inTime(services.chain.forward(calls), services.requestTimeoutMs);
      return answers.map((answer) => ("unreachable" in answer ? { error: UNREACHABLE } : answer));
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      return calls.map(() => ({ error: UNREACHABLE }));
    }
  }

  async function answerAll(entries: readonly unknown[]): Promise<unknown[]> {
    const plans = entries.map((entry) => plan(entry, services));
    const calls = plans.flatMap((step) => (step.kind === "forward" ? [step.call] : []));
    const forwarded = forward(calls);
    let position = 0;
    const outcomes = plans.map(async (step) => {
      if (step.kind === "answered") return step.outcome;
      if (step.kind === "index") return answerFromIndex(step.method, step.parameters);
      const own = position++;
      return (await forwarded)[own];
    });
    const settled = await Promise.all(outcomes);
    return settled.map((outcome, index) => ({
      jsonrpc: "2.0",
      ...outcome,
      id: idOf(entries[index]),
    }));
  }

  return async (body) => {
    if (!Array.isArray(body)) {
      const [answer] = await answerAll([body]);
      return jsonAnswer(answer);
    }
    if (body.length > MAXIMUM_BATCH) {
      throw new RequestError(413, `Payload Too Large. Max batch size is ${MAXIMUM_BATCH}`);
    }
    return jsonAnswer(await answerAll(body));
  };
}

/** The answer of a body that is no JSON. */
export function parseErrorAnswer(): Answer {
  const error = { code: -32_700, message: "Parse error" };
  return jsonAnswer({ jsonrpc: "2.0", error, id: null }, 400);
}

/** Checks an entry in the order of the wire contract, eth-rpc, section 2. */
function plan(entry: unknown, options: RpcOptions): Plan {
  if (!isObject(entry)) return INCOMPLETE;
  const { id, jsonrpc, method: name, params } = entry;
  if (id === undefined) return answered("id is a required field");
  if (jsonrpc !== undefined && jsonrpc !== "2.0") return answered("invalid rpc version");
  if (name === undefined) return INCOMPLETE;
  const method = findMethod(name, params, options);
  if (!method) return answered("Action not found.");
  if (params === undefined && jsonrpc === undefined) return INCOMPLETE;
  if (params !== undefined && !Array.isArray(params)) return NO_LIST;
  const parameters: readonly unknown[] = params ?? [];
  const [fewest, most] = method.parameters;
  if (parameters.length < fewest || parameters.length > most) {
    return answered("Incorrect number of params.");
  }
  if (jsonrpc === undefined) return NO_LIST;
  if ("answer" in method) return { kind: "index", method, parameters };
  const complaint = checkForwarded(method, parameters);
  if (complaint !== undefined) return answered(complaint);
  const call = { method: String(name), params: completeForwarded(method, parameters) };
  return { kind: "forward", call };
}

/** A forwarded method counts as unknown when `params` is absent. */
function findMethod(
  name: unknown,
  params: unknown,
  { sendRawTransaction }: RpcOptions,
): IndexMethod | ForwardedMethod | undefined {
  if (typeof name !== "string") return undefined;
  if (Object.hasOwn(indexMethods, name)) return indexMethods[name];
  if (params === undefined || !Object.hasOwn(forwardedMethods, name)) return undefined;
  return name === "eth_sendRawTransaction" && !sendRawTransaction
    ? undefined
    : forwardedMethods[name];
}

function answered(text: string): Plan {
  return { kind: "answered", outcome: rpcFailure(text) };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The id as sent, 0 when there is none, null for what is no id. */
function idOf(entry: unknown): RpcId {
  if (!isObject(entry)) return null;
  const { id } = entry;
  if (id === undefined) return 0;
  return typeof id === "string" || typeof id === "number" ? id : null;
}
