import { type AskOptions, CALLER_TIMEOUT_MS, type ForwardedAnswer, type RpcCall } from "./chain.ts";
import { type ChainErrorCode, NodeError, unwrapError } from "./errors.ts";
import type { Node } from "./node.ts";
import { createNodeClient, type NodeClient } from "./node-client.ts";
import { type Ask, errorIn, fillIn, type Outcome, pick, resultOf } from "./outcomes.ts";
import type { NodePool } from "./pool.ts";
import { Retry } from "./retry.ts";

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

  /**
   * Asks one node for the parts of one task. What it left open of a question is asked again if it answered the rest, or
   * another question of the task.
   */
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

  /**
   * Asks one node after the other for the `open` calls. `isOpen` takes an outcome, and tells whether the next node is to be
   * asked. Gives what is open in the end.
   */
  async function askInTurn(
    calls: readonly RpcCall[],
    open: number[],
    { stop, options }: { stop: AbortSignal; options: AskOptions },
    isOpen: (outcome: Outcome, index: number) => boolean,
  ): Promise<number[]> {
    for (const node of pool.candidates(options)) {
      if (open.length === 0) break;
      const answers = await node.call(pick(calls, open), stop, options);
      open = open.filter((index, position) => isOpen(answers[position] as Outcome, index));
    }
    return open;
  }

  /** One outcome per call, in order, of whichever node could give it; never throws. */
  async function batch(calls: readonly RpcCall[], options: AskOptions = {}): Promise<Outcome[]> {
    const stop = stopOf(options);
    const retry = options.retry ?? new Retry(stop);
    const outcomes = new Array<Outcome>(calls.length);
    let open = [...calls.keys()];
    for (;;) {
      const asked = open.length;
      const worthRetrying = new Set<number>();
      open = await askInTurn(calls, open, { stop, options }, (outcome, index) => {
        const error = errorIn(outcome);
        // "Never" from this node does not replace "later" from another one.
        if (!error || !worthRetrying.has(index)) outcomes[index] = outcome;
        if (error && mayAskAgain(error, options)) worthRetrying.add(index);
        return error?.elsewhere === true;
      });
      open = open.filter((index) => worthRetrying.has(index));
      const gain = open.length < asked ? "part" : "nothing";
      if (open.length === 0 || !(await retry.again(gain))) {
        return Array.from(outcomes, (outcome) => outcome ?? { error: noNode() });
      }
    }
  }

  return {
    batch,
    /** A client of that node only, which asks again only for what it left open while it answered the rest. */
    of: (node: Node): NodeClient =>
      createNodeClient((calls) => asking(node, signal, new Retry(signal), {})(calls)),
    /** The result of one call; throws `NodeError`. */
    async request(
      method: string,
      params: readonly unknown[],
      options?: AskOptions,
    ): Promise<unknown> {
      const [outcome] = await batch([{ method, params }], options);
      return resultOf(outcome as Outcome);
    },
    /**
     * Runs `task`, all of whose questions go to one node, at one node after the other until it succeeds. Throws what the
     * node said, also where an action of viem wrapped it.
     */
    async onNode<Result>(
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
        failure ??= noNode();
        if (!mayAskAgain(failure, options) || !(await retry.again())) throw failure;
      }
    },
    /** See `Chain.forward`. */
    async forward(calls: readonly RpcCall[], options: AskOptions = {}): Promise<ForwardedAnswer[]> {
      const stop = stopOf(options);
      const outcomes = new Array<Outcome | undefined>(calls.length);
      await askInTurn(calls, [...calls.keys()], { stop, options }, (outcome, index) => {
        const error = errorIn(outcome);
        // That another node does not answer does not replace what one said.
        if (!error || error.answer || !errorIn(outcomes[index])?.answer) outcomes[index] = outcome;
        return error !== undefined && mayForwardAgain(calls[index] as RpcCall, error);
      });
      return Array.from(outcomes, forwardedOf);
    },
  };
}

function noNode(): NodeError {
  return new NodeError("other-chain", "no node serves this chain");
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
