import { type Caller, forCaller } from "../../chain/caller-chain.ts";
import type { RpcCall } from "../../chain/options.ts";
import type { BlockReference } from "../../chain/questions.ts";
import { type ErrorCode, type Fault, RequestError } from "../../core/errors.ts";
import { isRecord } from "../../core/json/record.ts";
import { calmTurn } from "../../core/turns.ts";
import { MAXIMUM_ANSWER } from "../../store/lists/large-pages.ts";
import { type Answer, jsonAnswer, jsonText, type RpcId } from "../explorer/envelope.ts";
import { createForward, forwardCalls } from "../explorer/forwarding.ts";
import { requestErrorOf, TOO_LARGE, UNANSWERED } from "../http/failures.ts";
import { createWaits, inTime } from "../reading/deadline.ts";
import { type OneState, onOneState, type Read } from "../reading/snapshot.ts";
import type { ServedChain } from "../serving/served-chain.ts";
import {
  checkForwarded,
  completeForwarded,
  type ForwardedMethod,
  forwardedMethods,
} from "./forwarded.ts";
import { indexMethods } from "./methods.ts";
import { type IndexMethod, type RpcOutcome, rpcFailure } from "./rpc.ts";

export interface RpcOptions {
  rpcBatchLimit: number;
  /** Time limit of an answer, see `inTime`. */
  requestTimeoutMs: number;
}

/** Two endpoints differ in the checks of an entry, and in the form of their errors. */
export interface RpcFrame {
  plan(entry: unknown, options: Pick<ServedChain, "sendRawTransaction">): Plan;
  failureOf(thrown: unknown): RpcOutcome;
}

/** The way to answer one entry of a request. */
export type Plan =
  | { kind: "answered"; outcome: RpcOutcome }
  | IndexStep
  | { kind: "forward"; call: RpcCall };

interface IndexStep {
  kind: "index";
  method: IndexMethod;
  parameters: readonly unknown[];
}

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
      throw new RequestError(
        413,
        "too-long",
        `Payload Too Large. Max batch size is ${rpcBatchLimit}`,
      );
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
  function fail(thrown: unknown): RpcOutcome {
    const known = requestErrorOf(thrown);
    if (!known || known.httpStatus >= 500) services.log.error({ err: thrown }, "request failed");
    return failureOf(thrown);
  }

  const chain = forCaller(asker, services.chain);
  const forwardOne = createForward(chain);

  async function answerFromIndex(steps: readonly IndexStep[]): Promise<OneState<RpcOutcome>> {
    const tasks = steps.map(({ method, parameters }) => ({
      servedWhileLoading: method.servedWhileLoading ?? false,
      run: (read: Read) => {
        const waits = createWaits();
        const answer = method.answer(
          { ...services, chain, forward: forwardOne, read: waits.watch(read) },
          parameters,
        );
        return inTime(answer, requestTimeoutMs, waits.late);
      },
    }));
    return onOneState(sql, tasks, asker);
  }

  async function forward(calls: readonly RpcCall[]): Promise<RpcOutcome[]> {
    if (calls.length === 0) return [];
    try {
      return await inTime(forwardCalls(chain, calls), requestTimeoutMs);
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      return calls.map(() => UNANSWERED.unreachable);
    }
  }

  function outcomeOf(settled: PromiseSettledResult<RpcOutcome> | undefined): RpcOutcome {
    return settled?.status === "fulfilled" ? settled.value : fail(settled?.reason);
  }

  const plans = entries.map((entry) => plan(entry, services));
  const [forwarded, { outcomes, head }] = await Promise.all([
    forward(plans.flatMap((step) => (step.kind === "forward" ? [step.call] : []))),
    answerFromIndex(plans.filter((step) => step.kind === "index")),
  ]);
  const answers = plans.map((step, index) => {
    const outcome =
      step.kind === "answered"
        ? step.outcome
        : step.kind === "forward"
          ? forwarded.shift()
          : outcomeOf(outcomes.shift());
    return { outcome, id: idOf(entries[index]) };
  });
  const tooMuch = failureOf(new RequestError(200, "too-large", TOO_LARGE));
  return { answers: await toTexts(answers, tooMuch), block: head };
}

interface AnswerText {
  text: string;
  /** Undefined for a success. */
  fault: Fault | undefined;
}

/** Returns the answers as text, yielding between long ones; an error replaces an answer beyond the size limit. */
async function toTexts(
  answers: readonly { outcome: RpcOutcome | undefined; id: RpcId | bigint }[],
  tooMuch: RpcOutcome,
): Promise<AnswerText[]> {
  let room = MAXIMUM_ANSWER;
  const texts: AnswerText[] = [];
  for (const { outcome, id } of answers) {
    const answer = textOf(outcome, id);
    const { text } = answer;
    const fits = text.length <= room;
    if (fits) room -= text.length;
    texts.push(fits ? answer : textOf(tooMuch, id));
    if (text.length > LONG_TEXT) await calmTurn();
  }
  return texts;
}

function textOf(outcome: RpcOutcome | undefined, id: RpcId | bigint): AnswerText {
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
  const call = { method: String(name), params: completeForwarded(method, parameters) };
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
