import { sleep } from "../core/async.ts";
import type { AskOptions, ForwardedAnswer, RpcCall } from "./chain.ts";
import { NodeError } from "./errors.ts";
import type { Node, NodeOutcome } from "./node.ts";
import type { NodePool } from "./pool.ts";

/** Asks calls of one node; one outcome per call, in order. */
export type Ask = (calls: readonly RpcCall[]) => Promise<NodeOutcome[]>;

/** Asks the nodes of a pool: the one place that tries again. */
export interface RpcClient {
  /** The result of one call; throws `NodeError`. */
  request(method: string, params: readonly unknown[], options?: AskOptions): Promise<unknown>;
  /** One outcome per call, in order, of whichever node could give it; never throws. */
  batch(calls: readonly RpcCall[], options?: AskOptions): Promise<NodeOutcome[]>;
  /** Asks that node only, and again only for what it left open while it answered the rest. */
  askOnce(node: Node, calls: readonly RpcCall[]): Promise<NodeOutcome[]>;
  /** Runs `task`, all of whose questions go to one node, at one node after the other until it succeeds. */
  onNode<Result>(
    options: AskOptions,
    task: (node: Node, ask: Ask) => Promise<Result>,
  ): Promise<Result>;
  /** See `Chain.forward`. */
  forward(calls: readonly RpcCall[], options?: AskOptions): Promise<ForwardedAnswer[]>;
}

// In a round every node that may help is asked once.
const ROUNDS = 4;
const FIRST_DELAY_MS = 250;

/** Creates the client over a pool; every wait of it ends when `signal` is aborted. */
export function createRpcClient(pool: NodePool, signal: AbortSignal): RpcClient {
  const stopOf = (options: AskOptions): AbortSignal =>
    options.signal ? AbortSignal.any([signal, options.signal]) : signal;

  /** Asks one node, and the rest again as long as it answers a part each time: so ends a node that limits its rate. */
  async function askNode(
    node: Node,
    calls: readonly RpcCall[],
    stop: AbortSignal,
  ): Promise<NodeOutcome[]> {
    const outcomes = await node.call(calls, stop);
    let asked = calls.length;
    for (let open = retryable(outcomes); open.length > 0 && open.length < asked; ) {
      await pause(1, stop);
      asked = open.length;
      const answers = await node.call(pick(calls, open), stop);
      for (const [position, index] of open.entries()) {
        outcomes[index] = answers[position] as NodeOutcome;
      }
      open = retryable(outcomes);
    }
    return outcomes;
  }

  async function batch(
    calls: readonly RpcCall[],
    options: AskOptions = {},
  ): Promise<NodeOutcome[]> {
    const stop = stopOf(options);
    const unasked = new NodeError("other-chain", "no node serves this chain");
    const outcomes: NodeOutcome[] = calls.map(() => ({ error: unasked }));
    let open = calls.map((_, index) => index);
    for (let round = 1; ; round++) {
      const worthRetrying = new Set<number>();
      for (const node of pool.candidates(options)) {
        const answers = await askNode(node, pick(calls, open), stop);
        open = open.filter((index, position) => {
          const outcome = answers[position] as NodeOutcome;
          const failed = "error" in outcome;
          // That this node never will does not outweigh that another one will later.
          if (!failed || !worthRetrying.has(index)) outcomes[index] = outcome;
          if (failed && outcome.error.retryable) worthRetrying.add(index);
          return failed && outcome.error.elsewhere;
        });
        if (open.length === 0) return outcomes;
      }
      open = open.filter((index) => worthRetrying.has(index));
      if (open.length === 0 || round === ROUNDS || stop.aborted) return outcomes;
      await pause(round, stop);
    }
  }

  return {
    batch,
    askOnce: (node, calls) => askNode(node, calls, signal),
    async request(method, params, options) {
      const [outcome] = await batch([{ method, params }], options);
      return resultOf(outcome as NodeOutcome);
    },
    async onNode(options, task) {
      const stop = stopOf(options);
      for (let round = 1; ; round++) {
        let failure = new NodeError("other-chain", "no node serves this chain");
        for (const node of pool.candidates(options)) {
          try {
            return await task(node, (calls) => askNode(node, calls, stop));
          } catch (thrown) {
            if (!(thrown instanceof NodeError) || !thrown.elsewhere) throw thrown;
            if (!failure.retryable) failure = thrown;
          }
        }
        if (!failure.retryable || round === ROUNDS || stop.aborted) throw failure;
        await pause(round, stop);
      }
    },
    async forward(calls, options = {}) {
      const answers: ForwardedAnswer[] = calls.map(() => ({ unreachable: true }));
      let open = calls.map((_, index) => index);
      for (const node of pool.candidates(options)) {
        const outcomes = await node.call(pick(calls, open), stopOf(options));
        open = open.filter((index, position) => {
          const outcome = outcomes[position] as NodeOutcome;
          if (!("error" in outcome)) {
            answers[index] = { result: outcome.result };
            return false;
          }
          if (outcome.error.answer) answers[index] = { error: outcome.error.answer };
          return mayForwardAgain(calls[index] as RpcCall, outcome.error);
        });
        if (open.length === 0) break;
      }
      return answers;
    },
  };
}

/** The result of an outcome; throws its error. */
export function resultOf(outcome: NodeOutcome | undefined): unknown {
  if (outcome === undefined) throw new NodeError("bad-answer", "a call was left without an answer");
  if ("error" in outcome) throw outcome.error;
  return outcome.result;
}

/** The error of an outcome, if it is one. */
export function errorIn(outcome: NodeOutcome | undefined): NodeError | undefined {
  return outcome !== undefined && "error" in outcome ? outcome.error : undefined;
}

function pick(calls: readonly RpcCall[], indexes: readonly number[]): readonly RpcCall[] {
  return indexes.length === calls.length ? calls : indexes.map((index) => calls[index] as RpcCall);
}

function retryable(outcomes: readonly NodeOutcome[]): number[] {
  const indexes: number[] = [];
  for (const [index, outcome] of outcomes.entries()) {
    if ("error" in outcome && outcome.error.retryable) indexes.push(index);
  }
  return indexes;
}

/** Waits before the round after `round`: doubling, and never in step with others. */
async function pause(round: number, stop: AbortSignal): Promise<void> {
  await sleep(FIRST_DELAY_MS * 2 ** (round - 1) * (0.5 + Math.random() / 2), stop);
}

/** A transaction that may have arrived is not sent again: the second node would call it known, which it then is. */
function mayForwardAgain({ method }: RpcCall, error: NodeError): boolean {
  return method === "eth_sendRawTransaction" ? error.code === "unreachable" : error.elsewhere;
}
