import type { AskOptions, NodeName } from "../chain/chain.ts";
import { Retry } from "../chain/retry.ts";
import { ChainError } from "../core/errors.ts";
import { findTableDifferences, type TableDifference } from "../store/audit.ts";
import { encodeChainRows } from "../store/chain.ts";
import { wasTorn } from "../store/snapshot.ts";
import { getServedState, type ServedHead } from "../store/sync-state.ts";
import type { Sync } from "./context.ts";
import { decodeBlocks } from "./decode/block.ts";
import type { StateAudit } from "./state/family.ts";

/** Rows of each family of state that are compared at once. */
const SAMPLE = 10;
/** An audit that takes longer is given up: it must not delay a head. */
const PATIENCE_MS = 3_000;

/** Creates what audits when the next audit is due, at intervals. Its caller has nothing else to do. */
export function createAuditor(intervalMs: number): (sync: Sync) => Promise<void> {
  let dueAt = performance.now() + intervalMs;
  return async (sync) => {
    if (performance.now() < dueAt) return;
    dueAt = performance.now() + intervalMs;
    await audit(sync);
  };
}

/**
 * Compares the index with the nodes: the rows of one final block, chosen at random, with the block fetched anew; some
 * rows of state with the node's at the served head. Differences are counted and logged, and nothing is
 * changed. An audit ends silently when a node fails: the next one comes.
 */
async function audit(sync: Sync): Promise<void> {
  const { head, options } = sync;
  if (!head) return;
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(PATIENCE_MS)]);
  try {
    await auditBlock(sync, head, signal);
    const { chain, writer } = sync;
    const at = {
      sql: writer.sql,
      chain,
      head,
      sample: SAMPLE,
      ask: { signal },
    };
    for (const family of writer.families) {
      const found = await family.audit?.(at);
      if (found) report(sync, family.name, found);
    }
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
  }
}

async function auditBlock(sync: Sync, head: ServedHead, signal: AbortSignal): Promise<void> {
  const { startBlock } = sync.identity;
  const finalNumber = head.number - sync.options.finalityDepth;
  if (finalNumber < startBlock) return;
  const number = startBlock + Math.floor(Math.random() * (finalNumber - startBlock + 1));
  const first = await compareBlock(sync, number, { signal });
  if (!first) return;
  // One answer may be wrong. A difference counts when a second answer repeats it.
  const second =
    first.differences.length > 0
      ? await compareBlock(sync, number, { signal, avoid: first.node })
      : first;
  if (!second) return;
  const differences = second.differences.map(
    ({ table, stored, expected }) =>
      `${table} of block ${number}: ${stored} rows are there that should not, ${expected} are not`,
  );
  report(sync, "blocks", { checked: 1, differences });
}

async function compareBlock(
  { chain, writer, identity, belief }: Sync,
  blockNumber: number,
  options: AskOptions,
): Promise<{ node: NodeName; differences: TableDifference[] } | undefined> {
  const { traced } = identity;
  const retry = new Retry(options.signal);
  const asked = { ...options, traces: traced, retry };
  const { node, blocks } = await chain.fetchBlocks([blockNumber], asked);
  const [fetched] = blocks;
  if (!fetched) return undefined;
  const answer = { blockNumber, node, fetched, traced, proof: "none" } as const;
  const believed = await belief.believe(answer, retry);
  const expected = encodeChainRows(decodeBlocks([believed]));
  const served = await getServedState(writer.sql);
  const differences = await findTableDifferences(writer.sql, blockNumber, expected);
  return (await wasTorn(writer.sql, served)) ? undefined : { node, differences };
}

function report(sync: Sync, kind: string, { checked, differences }: StateAudit): void {
  const { options, writer } = sync;
  const { audit } = options.status;
  // A block counts once, however many of its tables differ.
  const differing = Math.min(checked, differences.length);
  audit.checked[kind] = (audit.checked[kind] ?? 0) + checked;
  audit.differing[kind] = (audit.differing[kind] ?? 0) + differing;
  writer.metrics.audits.inc({ kind, outcome: "equal" }, checked - differing);
  writer.metrics.audits.inc({ kind, outcome: "different" }, differing);
  for (const difference of differences) {
    audit.last = difference;
    options.log.error({ kind }, `the index differs from the chain: ${difference}`);
  }
}
