import type { NodeFeatures } from "../capabilities/features.ts";
import type { ChainErrorCode } from "../errors/codes.ts";
import { NodeError } from "../errors/errors.ts";
import { type Ask, isMissing, pick, untilFailure } from "../errors/outcomes.ts";
import type { Tracer } from "../questions.ts";
import type { Node } from "../rpc/node.ts";
import { lowerOf } from "../traces/address-forms.ts";
import { fetchTraces, type TraceableBlock, type Traces } from "../traces/tracers.ts";
import type { FetchedBlock } from "../types.ts";
import { ENOUGH_FRAMES } from "./fetch-load.ts";
import type { BlockSource } from "./source.ts";
import { stateSyncHash } from "./state-sync.ts";

/** Decides whether to leave a block without traces to a node that can trace it. */
export function leaveToTracingNode({ features }: BlockSource, node: Node): void {
  if (features.of(node)?.tracer === null && features.capabilities().tracer !== null) {
    throw new NodeError("method-missing", `${node.name} has no tracer, another node has one`);
  }
}

/** Adds the traces of blocks; ends before the first failed one, and at `ENOUGH_FRAMES`. */
export async function addTraces(
  source: BlockSource,
  node: Node,
  fetched: readonly (FetchedBlock | null)[],
  ask: Ask,
): Promise<(FetchedBlock | null)[]> {
  const traced: (FetchedBlock | null)[] = [];
  let frames = 0;
  while (traced.length < fetched.length && frames < ENOUGH_FRAMES) {
    const some = source.load.fittingTraces(fetched.slice(traced.length));
    const got = await trace(source, node, some, ask).catch((thrown: unknown) => {
      if (thrown instanceof NodeError && traced.length > 0) return [];
      throw thrown;
    });
    traced.push(...got);
    frames += source.load.noteTraces(got);
    if (got.length < some.length) break;
  }
  return traced;
}

/** Fallback tracers, for a tracer that fails with an error or leaves transactions out. */
const OTHERWISE: readonly (readonly [ChainErrorCode | "left-out", Tracer])[] = [
  // Some nodes serve stored traces of blocks that can no longer be executed.
  ["state-unavailable", "trace_block"],
  // Some nodes are faster with it: anvil's time otherwise grows with the square of the calls.
  ["timeout", "trace_block"],
  // Some nodes limit the size of answers.
  ["response-too-large", "debug_traceTransaction"],
  // Some nodes trace at execution, but not every transaction (matter-labs/zksync-era#4814, onflow/flow-evm-gateway#519).
  ["left-out", "debug_traceTransaction"],
  ["left-out", "trace_block"],
  // Some nodes fail a whole block for one transaction (0xPolygon/bor#1920), or return an error in
  // its place (ethereum/go-ethereum#31178).
  ["node-error", "debug_traceTransaction"],
  ["node-error", "trace_block"],
];

async function trace(
  source: BlockSource,
  node: Node,
  fetched: readonly (FetchedBlock | null)[],
  ask: Ask,
): Promise<(FetchedBlock | null)[]> {
  const traceable = fetched.flatMap((one) =>
    one && one.block.transactions.length > 0 ? [describe(one)] : [],
  );
  for (;;) {
    const features = await source.features.learn(node);
    const { tracer } = features;
    if (tracer === null) return [...fetched];
    const settings = features.tracerSettings;
    const traces = await fetchTraces(tracer, traceable, ask, source.traceTimeoutMs, settings);
    const missing = traces.filter((trace) => trace instanceof NodeError).find(isMissing);
    if (missing && (await source.features.dropTracer(node, tracer, settings, missing.message))) {
      leaveToTracingNode(source, node);
      continue;
    }
    for (const [code, other] of OTHERWISE) {
      if (tracer === other || features.missingTracers.has(other)) continue;
      const failed = [...traces.keys()].filter(
        (index) => findFailure(traceable[index], traces[index]) === code,
      );
      await replaceFailed(traces, failed, () =>
        fetchTraces(other, pick(traceable, failed), ask, source.traceTimeoutMs, settings),
      );
    }
    let next = 0;
    return untilFailure(fetched, (one) => {
      if (!one) return null;
      if (one.block.transactions.length === 0) return { ...one, traces: [] };
      const own = traces[next++] as Traces;
      // The allocation of a genesis block may look like transactions.
      const isRefused = own instanceof NodeError && own.code === "node-error";
      if (isRefused && one.block.number === "0x0") return { ...one, traces: [] };
      return { ...one, traces: readTraces(own, source, features, node) };
    });
  }
}

function describe({ block, receipts }: FetchedBlock): TraceableBlock {
  // Not validated yet: a receipt may be anything.
  const gasUsed = new Map(receipts.map((one) => [one?.transactionHash, one?.gasUsed]));
  const transactionHashes = block.transactions.map(({ hash }) => hash);
  return {
    number: block.number,
    hash: block.hash,
    transactionHashes,
    gasUsed: transactionHashes.map((hash) => gasUsed.get(hash) ?? "0x0"),
    senders: block.transactions.map(({ from }) => lowerOf(from)),
    stateSync: stateSyncHash(block),
  };
}

/** Returns why the traces of a block are incomplete; undefined when they are complete. */
function findFailure(
  block: TraceableBlock | undefined,
  traces: Traces | undefined,
): ChainErrorCode | "left-out" | undefined {
  if (!block || !traces) return undefined;
  if (traces instanceof NodeError) return traces.code;
  const others = block.transactionHashes.filter((hash) => hash !== block.stateSync);
  const traced = new Set(traces.map(({ transactionHash }) => transactionHash));
  // The state-sync transaction may be listed by another hash: only the count shows its absence.
  const lacks = !traced.has(null) && others.some((hash) => !traced.has(hash));
  // ZKsync's outermost frames are the bootloader's: without a hash they name no transaction.
  const isOfOthers = traces.some(
    ({ transactionHash, frame }, index) =>
      transactionHash === null &&
      frame.from !== block.senders[index] &&
      block.transactionHashes[index] !== block.stateSync,
  );
  return lacks || isOfOthers || traces.length < others.length ? "left-out" : undefined;
}

/** Asks again for failed blocks, and replaces the traces of each that succeeds. */
async function replaceFailed(
  traces: Traces[],
  failed: readonly number[],
  traceOtherwise: () => Promise<Traces[]>,
): Promise<void> {
  if (failed.length === 0) return;
  const found = await traceOtherwise();
  for (const [position, index] of failed.entries()) {
    const own = found[position];
    if (own && !(own instanceof NodeError)) traces[index] = own;
  }
}

/** Returns the traces of one block, null when its state is pruned. Throws any other error. */
function readTraces(traces: Traces, { log }: BlockSource, features: NodeFeatures, node: Node) {
  if (!(traces instanceof NodeError)) {
    features.hasTraced = true;
    return traces;
  }
  if (isMissing(traces)) {
    throw new NodeError("unavailable", `the tracer was there and is not: ${traces.message}`);
  }
  if (traces.code !== "state-unavailable") throw traces;
  if (!features.pruned) {
    features.pruned = true;
    log.warn(
      { node: node.name },
      `old blocks stay without internal transactions: ${traces.message}`,
    );
  }
  return null;
}
