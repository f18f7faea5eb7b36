import { ZERO_ADDRESS } from "../core/address.ts";
import { quantity } from "../core/quantity.ts";
import type { Capabilities, ChainOptions, Tracer } from "./chain.ts";
import { headerOf, LATEST_BLOCK } from "./headers.ts";
import type { Node, NodeOutcome } from "./node.ts";
import { type Ask, errorIn, type RpcClient, resultOf } from "./rpc-client.ts";
import { findTracer, isMissing } from "./tracers.ts";
import type { RawBlock } from "./types.ts";

/** What one node can do, as found by asking it; whoever finds out otherwise while using it corrects it here. */
export interface NodeFeatures {
  clientVersion: string;
  blockReceipts: boolean;
  /** It has given receipts by block: from then on that it cannot is trouble, not a fact. */
  hasGivenReceipts: boolean;
  /** Accepts a block hash where state is read (EIP-1898); null until state has been read. */
  stateByHash: boolean | null;
  tracer: Tracer | null;
  /** Tracers found missing, with the node's words. */
  refusals: Map<Tracer, string>;
  /** The tracer has traced a transaction: from then on that it is missing is trouble, not a fact. */
  hasTraced: boolean;
  /** It was told that old blocks cannot be traced. */
  pruned: boolean;
  archive: boolean | null;
  txpool: boolean;
}

/** What is known of each node. */
export interface Features {
  /** Undefined while the node has not let itself be asked since it last came back. */
  of(node: Node): NodeFeatures | undefined;
  /** What the node can do, asked once each time it comes back. Throws `NodeError` when it cannot be learnt now. */
  learn(node: Node): Promise<NodeFeatures>;
  forget(node: Node): void;
  /** Takes a tracer that was found missing out of use; settles on the next one, or on none. */
  dropTracer(node: Node, tracer: Tracer, reason: string): Promise<void>;
  capabilities(): Capabilities;
}

type FeatureOptions = Pick<ChainOptions, "traces" | "requestTimeoutMs" | "log">;

/** Creates an empty store of what the nodes can do; they are asked when it is needed first. */
export function createFeatures(
  nodes: readonly Node[],
  client: RpcClient,
  options: FeatureOptions,
): Features {
  const known = new Map<Node, { features: NodeFeatures; returns: number }>();
  const pending = new Map<Node, Promise<NodeFeatures>>();

  const askOf =
    (node: Node): Ask =>
    (calls) =>
      client.askOnce(node, calls);

  async function chooseTracer(
    node: Node,
    block: RawBlock,
    refusals: Map<Tracer, string>,
  ): Promise<Tracer | null> {
    if (options.traces === "off") return null;
    const transactionHashes = block.transactions as unknown as RawBlock["hash"][];
    const traceable = { number: block.number, hash: block.hash, transactionHashes };
    const tracer = await findTracer(traceable, askOf(node), traceTimeout(options), refusals);
    if (tracer) options.log.info({ node: node.name, tracer }, "internal transactions are traced");
    else options.log.warn({ node: node.name }, `no internal transactions: ${reasonIn(refusals)}`);
    return tracer;
  }

  async function askAll(node: Node): Promise<NodeFeatures> {
    const ask = askOf(node);
    const [version, latest, txpool] = await ask([
      { method: "web3_clientVersion", params: [] },
      LATEST_BLOCK,
      // txpool_content, which goes with it, can be hundreds of megabytes.
      { method: "txpool_status", params: [] },
    ]);
    const { number } = headerOf(resultOf(latest));
    const [receipts, oldState] = await ask([
      { method: "eth_getBlockReceipts", params: [quantity(number)] },
      { method: "eth_getBalance", params: [ZERO_ADDRESS, quantity(Math.min(number, 1))] },
    ]);
    const refusals = new Map<Tracer, string>();
    return {
      clientVersion: String(resultOf(version)),
      blockReceipts: !isMissingIn(receipts),
      hasGivenReceipts: false,
      stateByHash: null,
      tracer: await chooseTracer(node, resultOf(latest) as RawBlock, refusals),
      refusals,
      hasTraced: false,
      pruned: false,
      archive: hasState(oldState),
      txpool: !isMissingIn(txpool),
    };
  }

  function of(node: Node): NodeFeatures | undefined {
    const entry = known.get(node);
    return entry?.returns === node.returns ? entry.features : undefined;
  }

  async function learn(node: Node): Promise<NodeFeatures> {
    const features = of(node);
    if (features) return features;
    const { returns } = node;
    const asking = pending.get(node) ?? askAll(node);
    pending.set(node, asking);
    try {
      const learnt = await asking;
      known.set(node, { features: learnt, returns });
      return learnt;
    } finally {
      pending.delete(node);
    }
  }

  return {
    of,
    learn,
    forget: (node) => {
      known.delete(node);
    },
    async dropTracer(node, tracer, reason) {
      const features = await learn(node);
      if (features.tracer !== tracer) return;
      features.refusals.set(tracer, reason);
      const [latest] = await client.askOnce(node, [LATEST_BLOCK]);
      const block = resultOf(latest) as RawBlock;
      features.tracer = await chooseTracer(node, block, features.refusals);
    },
    capabilities() {
      const all = nodes.flatMap((node) => known.get(node)?.features ?? []);
      const settled = nodes.every((node) => node.excluded || of(node));
      const tracer = all.find((features) => features.tracer !== null)?.tracer ?? null;
      return {
        blockReceipts: all.some((features) => features.blockReceipts),
        tracer,
        tracerReason: tracer === null ? whyNoTracer(all) : null,
        archive: all.some(({ archive }) => archive) || (all[0]?.archive ?? null),
        txpool: all.some((features) => features.txpool),
        settled,
      };
    },
  };

  function whyNoTracer(all: readonly NodeFeatures[]): string {
    if (options.traces === "off") return "switched off";
    const [first] = all;
    return first ? reasonIn(first.refusals) : "no node could be asked yet";
  }
}

/** How long a node is to go on tracing one transaction, as a Go duration: as long as we would wait for it. */
export function traceTimeout({ requestTimeoutMs }: Pick<ChainOptions, "requestTimeoutMs">): string {
  return `${requestTimeoutMs}ms`;
}

function reasonIn(refusals: ReadonlyMap<Tracer, string>): string {
  const [first] = refusals.values();
  return first ?? "no tracer found";
}

function isMissingIn(outcome: NodeOutcome | undefined): boolean {
  const error = errorIn(outcome);
  return error !== undefined && isMissing(error);
}

/** Whether the old state that was asked for is there; null when the answer does not tell. */
function hasState(outcome: NodeOutcome | undefined): boolean | null {
  const error = errorIn(outcome);
  if (!error) return true;
  return error.code === "state-unavailable" ? false : null;
}
