import type { Block } from "viem";
import { getBlock } from "../../core/deep-imports.ts";
import { ZERO_ADDRESS } from "../../core/evm/address.ts";
import { quantity } from "../../core/evm/quantity.ts";
import { nodeErrorIn, unwrapError } from "../errors/errors.ts";
import { errorIn, isMissing, isRefusal, type Outcome } from "../errors/outcomes.ts";
import type { ChainOptions } from "../options.ts";
import type { Capabilities, Tracer } from "../questions.ts";
import type { Node } from "../rpc/node.ts";
import type { RpcClient } from "../rpc/rpc-client.ts";
import { findTracer, type TracerSettings } from "../traces/tracers.ts";

/** Capabilities of one node, as observed; corrected when a call contradicts them. */
export interface NodeFeatures {
  /** Empty where the node does not say it. */
  clientVersion: string;
  blockReceipts: boolean;
  /** The node has returned receipts by block, so a refusal is temporary. */
  hasGivenReceipts: boolean;
  /** How often reads of state refused a block hash (EIP-1898), by method; below 0 once it was accepted. */
  hashRefusals: Map<string, number>;
  tracer: Tracer | null;
  tracerSettings: TracerSettings;
  /** Tracers that it lacks, with its error text. */
  missingTracers: Map<Tracer, string>;
  /** The tracer has traced a transaction, so a refusal is temporary. */
  hasTraced: boolean;
  /** True once the log says that the node does not trace old blocks. */
  pruned: boolean;
  archive: boolean | null;
  txpool: boolean;
}

/** Earlier blocks to look for a tracer on, where it failed on the newest. */
const EARLIER_SAMPLES = 3n;

type FeatureOptions = Pick<ChainOptions, "traces" | "requestTimeoutMs" | "log">;

/** Capabilities of all nodes. */
export type Features = ReturnType<typeof createFeatures>;

/** Creates an empty store of the nodes' capabilities; they are probed on first use. */
export function createFeatures(nodes: readonly Node[], client: RpcClient, options: FeatureOptions) {
  const known = new Map<Node, { features: NodeFeatures; returns: number }>();
  const pending = new Map<Node, Promise<NodeFeatures>>();

  async function chooseTracer(
    node: Node,
    latest: Block<bigint, false, "latest">,
    missing: Map<Tracer, string>,
    known?: Tracer,
  ): Promise<{ tracer: Tracer | null; tracerSettings: TracerSettings }> {
    if (options.traces === "off") return { tracer: null, tracerSettings: "all" };
    const viem = client.of(node);
    const look = ({ number, hash, transactions }: Block<bigint, false, "latest">) => {
      const block = { number: quantity(number), hash, transactionHashes: transactions };
      const rest = { gasUsed: [], senders: [], stateSync: undefined };
      const { ask } = viem.transport;
      return findTracer({ ...block, ...rest }, ask, options.requestTimeoutMs, missing);
    };
    const before = [...missing];
    let found = await look(latest);
    for (let number = latest.number - 1n; found.isDoubtful && number > 0n; number--) {
      if (latest.number - number > EARLIER_SAMPLES) break;
      const earlier = await getBlock(viem, { blockNumber: number });
      if (earlier.transactions.length === 0) continue;
      missing.clear();
      for (const [tracer, reason] of before) missing.set(tracer, reason);
      found = await look(earlier);
      break;
    }
    const { tracer, settings: tracerSettings } = found;
    if (tracer) missing.delete(tracer);
    const reports = known === undefined || (tracer !== null && tracer !== known);
    if (reports && tracer)
      options.log.info({ node: node.name, tracer }, "internal transactions are traced");
    else if (reports)
      options.log.warn({ node: node.name }, `no internal transactions: ${reasonIn(missing)}`);
    return { tracer, tracerSettings };
  }

  async function learnAnew(node: Node): Promise<NodeFeatures> {
    const viem = client.of(node);
    const [clientVersion, latest] = await Promise.all([
      viem.request({ method: "web3_clientVersion" }).catch((thrown: unknown) => {
        if (!isRefusal(nodeErrorIn(thrown))) throw thrown;
      }),
      getBlock(viem),
    ]);
    const early = quantity(latest.number > 0n ? 1 : 0);
    const [receipts, oldState, txpool] = await viem.transport.ask([
      { method: "eth_getBlockReceipts", params: [quantity(latest.number)] },
      { method: "eth_getBalance", params: [ZERO_ADDRESS, early] },
      // Nodes that have it also have `txpool_content`, whose answer may be hundreds of megabytes.
      { method: "txpool_status", params: [] },
    ]);
    const missingTracers = new Map<Tracer, string>();
    return {
      clientVersion: String(clientVersion ?? ""),
      blockReceipts: !isRefusal(errorIn(receipts)),
      hasGivenReceipts: false,
      hashRefusals: new Map(),
      ...(await chooseTracer(node, latest, missingTracers)),
      missingTracers,
      hasTraced: false,
      pruned: false,
      archive: hasState(oldState),
      txpool: !isMissing(errorIn(txpool)),
    };
  }

  /** Returns the capabilities; undefined until the node was probed since its last return. */
  function of(node: Node): NodeFeatures | undefined {
    const entry = known.get(node);
    return entry?.returns === node.health.returns ? entry.features : undefined;
  }

  /** Probes the node once after each return. Throws `NodeError` when the probe fails now. */
  async function learn(node: Node): Promise<NodeFeatures> {
    const features = of(node);
    if (features) return features;
    const { returns } = node.health;
    const learning = pending.get(node) ?? learnAnew(node);
    pending.set(node, learning);
    try {
      const learnt = await learning;
      known.set(node, { features: learnt, returns });
      return learnt;
    } catch (thrown) {
      throw unwrapError(thrown);
    } finally {
      pending.delete(node);
    }
  }

  return {
    of,
    learn,
    forget: (node: Node): boolean => known.delete(node),
    /**
     * Marks a tracer as missing and selects the next one, or none. One that has traced stays, unless another one, or fewer
     * settings, work now: then returns false.
     */
    async dropTracer(node: Node, tracer: Tracer, settings: TracerSettings, reason: string) {
      const features = await learn(node);
      if (features.tracer !== tracer || features.tracerSettings !== settings) return true;
      const { hasTraced } = features;
      const missingTracers = hasTraced ? new Map() : features.missingTracers.set(tracer, reason);
      const latest = await getBlock(client.of(node));
      const known = hasTraced ? tracer : undefined;
      const found = await chooseTracer(node, latest, missingTracers, known);
      if (hasTraced && found.tracer === null) return false;
      Object.assign(features, found, { missingTracers, hasTraced: false });
      return true;
    },
    capabilities(): Capabilities {
      const all = nodes.flatMap((node) => known.get(node)?.features ?? []);
      const settled = nodes.every((node) => node.health.excluded || of(node));
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

  function whyNoTracer([first]: readonly NodeFeatures[]): string {
    if (options.traces === "off") return "switched off";
    return first ? reasonIn(first.missingTracers) : "no node could be asked yet";
  }
}

function reasonIn(missing: ReadonlyMap<Tracer, string>): string {
  const [first] = missing.values();
  return first ?? "no tracer found";
}

/** Returns whether the requested old state exists; null when the answer does not show it. */
function hasState(outcome: Outcome | undefined): boolean | null {
  const error = errorIn(outcome);
  if (!error) return true;
  return error.code === "state-unavailable" ? false : null;
}
