import type { FastifyRequest } from "fastify";
import { type Caller, forCaller } from "../../chain/caller-chain.ts";
import type { RpcCall } from "../../chain/options.ts";
import type { BlockReference } from "../../chain/questions.ts";
import { type ErrorCode, RequestError } from "../../core/errors.ts";
import { isRecord } from "../../core/json/record.ts";
import { calmTurn } from "../../core/turns.ts";
import { MAXIMUM_ANSWER } from "../../store/lists/large-pages.ts";
import type { RpcId } from "../explorer/envelope.ts";
import { createForward } from "../explorer/forwarding.ts";
import { type Answer, jsonAnswer, jsonText } from "../http/answer.ts";
import { requestErrorOf, TOO_LARGE, UNANSWERED } from "../http/failures.ts";
import { decodeUtf8, parseUrlEncoded } from "../http/input/form.ts";
import { boundJson, parseMembers } from "../http/input/request.ts";
import { createWaits, inTime } from "../reading/bounds.ts";
import { onOneState, type Read } from "../reading/snapshot.ts";
import type { ServedChain } from "../serving/served-chain.ts";
import { indexMethods } from "./methods.ts";
import {
  checkForwarded,
  type ForwardedMethod,
  forwardedMethods,
  type IndexMethod,
  type RpcOutcome,
  rpcFailure,
  withDefaultBlock,
} from "./rpc.ts";

/** Parses a body as JSON, also where `curl -d` sent it as a form's name; undefined when it is not JSON. Throws `RequestError`. */
export function parseRpcBody({ body }: FastifyRequest): { json: unknown } | undefined {
  try {
    const text = Buffer.isBuffer(body) ? decodeUtf8(body).trim() : "";
    if (text === "") return { json: {} };
    const [[name] = [""]] = text.startsWith("%") ? parseUrlEncoded(Buffer.from(text)) : [[text]];
    const json = name ?? "";
    boundJson(Buffer.from(json));
    return { json: parseMembers(json) };
  } catch (error) {
    if (error instanceof RequestError && error.httpStatus === 400) return undefined;
    throw error;
  }
}

export interface RpcOptions {
  rpcBatchLimit: number;
  /** Time limit of an answer, see `inTime`. */
  requestTimeoutMs: number;
}

/** The differences between two endpoints: the checks of an entry, and the form of errors. */
export interface RpcFrame {
  plan(entry: unknown, options: Pick<ServedChain, "sendRawTransaction">): Plan;
  failureOf(thrown: unknown): RpcOutcome;
}

/** The way to answer one entry of a request. */
export type Plan =
  | { kind: "answered"; outcome: RpcOutcome }
  | { kind: "index"; method: IndexMethod; parameters: readonly unknown[] }
  | { kind: "forward"; call: RpcCall };

/** Characters of an answer after which other requests get a turn. */
const LONG_TEXT = 500_000;
const frame: RpcFrame = {
  plan,
  failureOf(thrown) {
    const known = requestErrorOf(thrown);
    return known
      ? rpcFailure(known.code, known.message, known.parameter)
      : rpcFailure("internal", "Something went wrong.");
  },
};
const INCOMPLETE = answered("bad-request", "Method, and jsonrpc are required parameters.");
const NO_LIST = answered("bad-request", "Invalid params. Params must be a list.");

/** Answers a parsed body: one request, or a batch in its order. Throws `RequestError` for a batch that is too long. */
export type RpcHandler = (body: unknown, chain: ServedChain, asker: Caller) => Promise<Answer>;

/** Creates the JSON-RPC side of a server. */
export function createRpcHandler({ rpcBatchLimit, requestTimeoutMs }: RpcOptions): RpcHandler {
  return async (body, chain, asker) => {
    const isBatch = Array.isArray(body);
    if (isBatch && body.length > rpcBatchLimit) {
      const text = `Payload Too Large. Max batch size is ${rpcBatchLimit}`;
      throw new RequestError(413, "too-long", text);
    }
    const entries = isBatch ? body : [body];
    const { answers, block } = await answerAll(entries, chain, asker, requestTimeoutMs, frame);
    const texts = answers.map(({ text }) => text);
    return isBatch
      ? { ...jsonText(`[${texts.join(",")}]`), block }
      : { ...jsonText(texts[0] ?? ""), block, fault: answers[0]?.fault };
  };
}

/** Returns the answers to entries about one chain, as text, and their block. */
export async function answerAll(
  entries: readonly unknown[],
  { sql, ...services }: ServedChain,
  asker: Caller,
  requestTimeoutMs: number,
  { plan, failureOf }: RpcFrame,
): Promise<{ answers: AnswerText[]; block: BlockReference | undefined }> {
  const chain = forCaller(asker, services.chain);
  const [forward, forwardPlanned] = [createForward(chain), createForward(chain)];
  const plans = entries.map((entry) => plan(entry, services));
  const steps = plans.filter((step) => step.kind === "index");
  const tasks = steps.map(({ method, parameters }) => ({
    servedWhileLoading: method.servedWhileLoading ?? false,
    run: (read: Read) => {
      const waits = createWaits();
      const context = { ...services, chain, forward, read: waits.watch(read) };
      return inTime(method.answer(context, parameters), requestTimeoutMs, waits.late);
    },
  }));
  const forwarding = plans.map(async (step): Promise<RpcOutcome | undefined> => {
    if (step.kind === "answered") return step.outcome;
    if (step.kind === "index") return undefined;
    return inTime(forwardPlanned(step.call), requestTimeoutMs).catch((error: unknown) => {
      if (!(error instanceof RequestError)) throw error;
      return UNANSWERED.unreachable;
    });
  });
  const [outcomes, indexed] = await Promise.all([
    Promise.all(forwarding),
    onOneState(sql, tasks, asker),
  ]);
  const tooMuch = failureOf(new RequestError(200, "too-large", TOO_LARGE));
  const answers: AnswerText[] = [];
  let room = MAXIMUM_ANSWER;
  for (const [index, entry] of entries.entries()) {
    const settled = plans[index]?.kind === "index" ? indexed.outcomes.shift() : undefined;
    if (settled?.status === "rejected") {
      const known = requestErrorOf(settled.reason);
      const isFault = !known || known.httpStatus >= 500;
      if (isFault) services.log.error({ err: settled.reason }, "request failed");
    }
    const outcome = settled?.status === "rejected" ? failureOf(settled.reason) : settled?.value;
    const answer = toText(outcome ?? outcomes[index], idOf(entry));
    const { length } = answer.text;
    const fits = length <= room;
    if (fits) room -= length;
    // An error replaces an answer beyond the size limit.
    answers.push(fits ? answer : toText(tooMuch, idOf(entry)));
    if (length > LONG_TEXT) await calmTurn();
  }
  return { answers, block: indexed.head };
}

type AnswerText = ReturnType<typeof toText>;

/** Returns the text of an answer, and the fault that it reports. */
function toText(outcome: RpcOutcome | undefined, id: RpcId | bigint) {
  const fault = outcome && "error" in outcome ? outcome : undefined;
  const answer = { jsonrpc: "2.0", ...(fault ? { error: fault.error } : outcome) };
  const text =
    typeof id === "bigint"
      ? `${JSON.stringify(answer).slice(0, -1)},"id":${id}}`
      : JSON.stringify({ ...answer, id });
  return { text, fault };
}

/** Returns the answer to a body that is not JSON. */
export function parseErrorAnswer(): Answer {
  const error = { code: -32_700, message: "Parse error" };
  return jsonAnswer({ jsonrpc: "2.0", error, id: null }, 400, { code: "bad-request" });
}

/** Checks an entry in the order of docs/wire.md, "Checks of an entry". */
function plan(entry: unknown, options: Pick<ServedChain, "sendRawTransaction">): Plan {
  if (!isRecord(entry)) return INCOMPLETE;
  const { id, jsonrpc, method: name, params } = entry;
  if (id === undefined) return answered("bad-request", "id is a required field");
  if (jsonrpc !== undefined && jsonrpc !== "2.0")
    return answered("bad-request", "invalid rpc version");
  if (name === undefined) return INCOMPLETE;
  const method = findMethod(name, params, options);
  if (!method) return answered("unknown-action", "Action not found.");
  if (params === undefined && jsonrpc === undefined) return INCOMPLETE;
  if (params !== undefined && !Array.isArray(params)) return NO_LIST;
  const parameters: readonly unknown[] = params ?? [];
  const [fewest, most] = method.parameters;
  if (parameters.length < fewest || parameters.length > most) {
    return answered("invalid-parameter", "Incorrect number of params.");
  }
  if (jsonrpc === undefined) return NO_LIST;
  if ("answer" in method) return { kind: "index", method, parameters };
  const complaint = checkForwarded(method, parameters);
  if (complaint !== undefined) return answered("invalid-parameter", complaint);
  const call = { method: String(name), params: withDefaultBlock(method, parameters) };
  return { kind: "forward", call };
}

/** Finds the method; a forwarded one counts as unknown when `params` is absent. */
function findMethod(
  name: unknown,
  params: unknown,
  { sendRawTransaction }: Pick<ServedChain, "sendRawTransaction">,
): IndexMethod | ForwardedMethod | undefined {
  if (typeof name !== "string") return undefined;
  if (Object.hasOwn(indexMethods, name)) return indexMethods[name];
  if (params === undefined || !Object.hasOwn(forwardedMethods, name)) return undefined;
  return name === "eth_sendRawTransaction" && !sendRawTransaction
    ? undefined
    : forwardedMethods[name];
}

function answered(code: ErrorCode, text: string): Plan {
  return { kind: "answered", outcome: rpcFailure(code, text) };
}

/** Returns the id as sent, 0 when absent, null when invalid. */
function idOf(entry: unknown): RpcId | bigint {
  if (!isRecord(entry)) return null;
  const { id } = entry;
  if (id === undefined) return 0;
  return typeof id === "string" || typeof id === "number" || typeof id === "bigint" ? id : null;
}
