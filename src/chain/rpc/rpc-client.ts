import type { ChainErrorCode } from "../errors/codes.ts";
import { NodeError, unwrapError } from "../errors/errors.ts";
import { type Ask, errorIn, fillIn, type Outcome, pick, resultOf } from "../errors/outcomes.ts";
import { type AskOptions, CALLER_TIMEOUT_MS, type RpcCall } from "../options.ts";
import type { ForwardedAnswer } from "../questions.ts";
import { Retry } from "../retry.ts";
import type { Node } from "./node.ts";
import { createNodeClient, type NodeClient } from "./node-client.ts";
import type { NodePool } from "./pool.ts";

/** What a reader of a block gets when a reorganisation has removed it. */
const REORGANISED: ReadonlySet<ChainErrorCode> = new Set(["block-unknown", "head-moved"]);

/** Asks the nodes of a pool, again as long as the budget lasts (retry.ts). */
export type RpcClient = ReturnType<typeof createRpcClient>;

/** Creates the client over a pool; every wait of it ends when `signal` is aborted. */
export function createRpcClient(pool: NodePool, signal: AbortSignal) {
  const stopOf = (options: AskOptions): AbortSignal => {
    const stops = options.signal ? [signal, options.signal] : [signal];
    if (options.caller !== undefined) stops.push(AbortSignal.timeout(CALLER_TIMEOUT_MS));
    return stops.length === 1 ? signal : AbortSignal.any(stops);
  };

  const mayAskAgain = (error: NodeError, { tellReorgs, caller, answerMs }: AskOptions): boolean => {
    const isReportedAtOnce =
      (tellReorgs && REORGANISED.has(error.code)) ||
      (caller !== undefined && error.code === "busy") ||
      (answerMs !== undefined && error.code === "timeout");
    return error.retryable && !isReportedAtOnce;
  };

  /** Returns a function that asks one node, again for what it left open while it answers other questions of the task. */
  function asking(node: Node, stop: AbortSignal, retry: Retry, options: AskOptions): Ask {
    let hasAnswered = false;
    return async (calls) => {
      const outcomes = new Array<Outcome>(calls.length);
      let open = [...calls.keys()];
      for (;;) {
        const asked = open.length;
        await fillIn(outcomes, open, calls, (some) => node.call(some, stop, options));
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

  /** Runs `task` at one node after the other until it succeeds. Throws the node's error, also out of viem's wrapper. */
  async function onNode<Result>(
    options: AskOptions,
    task: (node: Node, viem: NodeClient) => Promise<Result>,
  ): Promise<Result> {
    const stop = stopOf(options);
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
    /** A client of the nodes together: what one node leaves open of the calls that go out at once is asked of the next. */
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
    /** A client of that node only, which asks again only for what it left open while it answered the rest. */
    of: (node: Node): NodeClient =>
      createNodeClient((calls) => asking(node, signal, new Retry(signal), {})(calls)),
    /** The result of one call; throws `NodeError`. */
    request: (
      method: string,
      params: readonly unknown[],
      options: AskOptions = {},
    ): Promise<unknown> =>
      onNode(options, async (_node, { transport }) => {
        const [outcome] = await transport.ask([{ method, params }]);
        return resultOf(outcome);
      }),
    /** See `Chain.forward`. */
    async forward(calls: readonly RpcCall[], options: AskOptions = {}): Promise<ForwardedAnswer[]> {
      const stop = stopOf(options);
      const outcomes = new Array<Outcome | undefined>(calls.length);
      let open = [...calls.keys()];
      for (const node of pool.candidates(options)) {
        if (open.length === 0) break;
        const answers = await node.call(pick(calls, open), stop, options);
        open = open.filter((index, position) => {
          const outcome = answers[position];
          const error = errorIn(outcome);
          // That another node does not answer does not replace what one said.
          if (!error || error.answer || !errorIn(outcomes[index])?.answer)
            outcomes[index] = outcome;
          return error !== undefined && mayForwardAgain(calls[index] as RpcCall, error);
        });
      }
      return Array.from(outcomes, forwardedOf);
    },
  };
}

/** A transaction that may have arrived is not sent again: another node would refuse it as known. */
function mayForwardAgain({ method }: RpcCall, error: NodeError): boolean {
  return method === "eth_sendRawTransaction" ? error.code === "unreachable" : error.elsewhere;
}

function forwardedOf(outcome: Outcome | undefined): ForwardedAnswer {
  if (outcome && "result" in outcome) return { result: outcome.result };
  const { answer, code } = outcome?.error ?? {};
  if (answer) return { error: answer };
  if (code === "busy") return { unanswered: "busy" };
  return { unanswered: code === "aborted" || code === "timeout" ? "late" : "unreachable" };
}
