import type { ChainErrorCode } from "../errors/codes.ts";
import { NodeError, unwrapError } from "../errors/errors.ts";
import { type Ask, errorIn, fillIn, type Outcome, pick, resultOf } from "../errors/outcomes.ts";
import { type AskOptions, CALLER_TIMEOUT_MS, type RpcCall } from "../options.ts";
import type { ForwardedAnswer } from "../questions.ts";
import { Retry } from "../retry.ts";
import type { Node } from "./node.ts";
import { createNodeClient, type NodeClient, requireForms } from "./node-client.ts";
import type { NodePool } from "./pool.ts";

/** Errors of a block that a reorganisation removed. */
const REORGANISED: ReadonlySet<ChainErrorCode> = new Set(["block-unknown", "head-moved"]);

/** Asks the nodes of a pool, with retries within the budget (retry.ts). */
export type RpcClient = ReturnType<typeof createRpcClient>;

/** Creates the client over a pool; `signal` ends all its waits. */
export function createRpcClient(pool: NodePool, signal: AbortSignal) {
  const combineStops = (options: AskOptions): AbortSignal => {
    const stops = options.signal ? [signal, options.signal] : [signal];
    if (options.caller !== undefined) stops.push(AbortSignal.timeout(CALLER_TIMEOUT_MS));
    return stops.length === 1 ? signal : AbortSignal.any(stops);
  };

  const mayAskAgain = (
    error: NodeError,
    { reportReorgs, caller, answerMs }: AskOptions,
  ): boolean => {
    const isReportedAtOnce =
      (reportReorgs && REORGANISED.has(error.code)) ||
      (caller !== undefined && error.code === "busy") ||
      (answerMs !== undefined && error.code === "timeout");
    return error.retryable && !isReportedAtOnce;
  };

  /** Returns a function that asks one node and repeats unanswered calls, as long as the node answers others of the task. */
  function asking(node: Node, stop: AbortSignal, retry: Retry, options: AskOptions): Ask {
    let hasAnswered = false;
    return async (calls) => {
      const outcomes = new Array<Outcome>(calls.length);
      let open = [...calls.keys()];
      for (;;) {
        const asked = open.length;
        await fillIn(outcomes, open, calls, async (some) =>
          requireForms(some, await node.call(some, stop, options)),
        );
        open = open.filter((index) => {
          const error = errorIn(outcomes[index]);
          return error !== undefined && mayAskAgain(error, options);
        });
        const partly = open.length < asked;
        hasAnswered ||= partly;
        const leaveToOthers = !hasAnswered || (!node.usable && pool.nodes.length > 1);
        if (open.length === 0 || leaveToOthers) return outcomes;
        if (!(await retry.again(partly ? "part" : "nothing"))) return outcomes;
      }
    };
  }

  /** Runs `task` on one node at a time until it succeeds. Throws the node's error, also one wrapped by viem. */
  async function onNode<Result>(
    options: AskOptions,
    task: (node: Node, viem: NodeClient) => Promise<Result>,
  ): Promise<Result> {
    const stop = combineStops(options);
    const retry = options.retry ?? new Retry(stop);
    for (;;) {
      let failure: NodeError | undefined;
      for (const node of pool.candidates(options)) {
        try {
          return await task(node, createNodeClient(asking(node, stop, retry, options)));
        } catch (thrown) {
          const error = unwrapError(thrown);
          if (!(error instanceof NodeError) || !error.elsewhere) throw error;
          if (!failure?.retryable) failure = error;
        }
      }
      failure ??= new NodeError("other-chain", "no node serves this chain");
      if (!mayAskAgain(failure, options) || !(await retry.again())) throw failure;
    }
  }

  return {
    onNode,
    /** Creates a client of all nodes: calls that one node leaves unanswered go to the next. */
    ofAny: (options: AskOptions): NodeClient =>
      createNodeClient(async (calls) => {
        const outcomes = new Array<Outcome>(calls.length);
        let open = [...calls.keys()];
        try {
          await onNode(options, async (_node, viem) => {
            await fillIn(outcomes, open, calls, viem.transport.ask);
            open = open.filter((index) => errorIn(outcomes[index])?.elsewhere);
            const [first] = open;
            if (first !== undefined) resultOf(outcomes[first]);
          });
        } catch (thrown) {
          // Without a node there are no outcomes.
          if (!(thrown instanceof NodeError) || outcomes.includes(undefined as never)) throw thrown;
        }
        return outcomes;
      }),
    /** Creates a client of that node only, which repeats only the unanswered part of a partial answer. */
    of: (node: Node): NodeClient =>
      createNodeClient((calls) =>
        asking(node, signal, new Retry(signal), { headWaits: true })(calls),
      ),
    /** Returns the result of one call; throws `NodeError`. */
    request: (
      method: string,
      params: readonly unknown[],
      options: AskOptions = {},
    ): Promise<unknown> =>
      onNode(options, async (_node, { transport }) => {
        const [outcome] = await transport.ask([{ method, params }]);
        return resultOf(outcome);
      }),
    async forward(calls: readonly RpcCall[], options: AskOptions = {}): Promise<ForwardedAnswer[]> {
      const stop = combineStops(options);
      const outcomes = new Array<Outcome | undefined>(calls.length);
      let open = [...calls.keys()];
      for (const node of pool.candidates(options)) {
        if (open.length === 0) break;
        const answers = await node.call(pick(calls, open), stop, options);
        open = open.filter((index, position) => {
          const outcome = answers[position];
          const error = errorIn(outcome);
          // One node's error stands, even if another node does not answer.
          if (!error || error.answer || !errorIn(outcomes[index])?.answer)
            outcomes[index] = outcome;
          return error !== undefined && mayForwardAgain(calls[index] as RpcCall, error);
        });
      }
      return Array.from(outcomes, toForwarded);
    },
  };
}

/** Returns whether a call may be repeated. A transaction that may have arrived may not: another node would refuse it as known. */
function mayForwardAgain({ method }: RpcCall, error: NodeError): boolean {
  return method === "eth_sendRawTransaction" ? error.code === "unreachable" : error.elsewhere;
}

function toForwarded(outcome: Outcome | undefined): ForwardedAnswer {
  if (outcome && "result" in outcome) return { result: outcome.result };
  const { answer, code } = outcome?.error ?? {};
  if (answer) return { error: answer };
  if (code === "busy") return { unanswered: "busy" };
  return { unanswered: code === "aborted" || code === "timeout" ? "late" : "unreachable" };
}
