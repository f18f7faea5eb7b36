import type { AskOptions, NodeName } from "../../chain/options.ts";
import { Retry } from "../../chain/retry.ts";
import { ChainError } from "../../core/errors.ts";
import { hasDelegations } from "../../store/lists/delegations.ts";
import { getIndexState } from "../../store/sync-state.ts";
import { findTableDifference, type TableDifference } from "../../store/writer/audit.ts";
import { encodeChainRows } from "../../store/writer/chain.ts";
import { type ChainTableName, chainTables } from "../../store/writer/chain-tables.ts";
import { isTraced } from "../../store/writer/earlier-traces.ts";
import { writeAs } from "../../store/writer/writer.ts";
import type { Sync } from "../context.ts";
import { decodeWhole } from "../decode/block.ts";
import type { StateAudit } from "../state/family.ts";

/** Compared rows of each state family. */
const SAMPLE = 10;
/** Time limit of an audit's wait for nodes per step: a head may be waiting. */
const PATIENCE_MS = 3_000;

/** Creates the auditor, called when nothing else is to be done. A waiting head interrupts an audit, which then continues. */
export function createAuditor(
  intervalMs: number,
): (sync: Sync, isHeadWaiting: () => boolean) => Promise<void> {
  let dueAt = performance.now() + intervalMs;
  let pieces: AsyncGenerator<void> | undefined;
  return async (sync, isHeadWaiting) => {
    if (pieces === undefined) {
      if (performance.now() < dueAt) return;
      dueAt = performance.now() + intervalMs;
      pieces = audit(sync);
    }
    while (pieces && !isHeadWaiting()) {
      if ((await pieces.next()).done) pieces = undefined;
    }
  };
}

/** Compares a random final block, and some state, with the nodes; logs differences. Ends when a node fails. */
async function* audit(sync: Sync): AsyncGenerator<void> {
  try {
    yield* auditBlock(sync);
    const { chain, writer } = sync;
    for (const family of writer.families) {
      if (!family.audit) continue;
      yield;
      const { head } = sync;
      if (!head) return;
      const ask = { signal: patience(sync) };
      const found = await family.audit({ sql: writer.sql, chain, head, sample: SAMPLE, ask });
      report(sync, family.name, found);
      const { mend } = found;
      if (mend && found.differences.length > 0) await writeAs(writer, mend);
    }
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
  }
}

async function* auditBlock(sync: Sync): AsyncGenerator<void> {
  const { head, identity, options, writer } = sync;
  if (!head) return;
  const { startBlock } = identity;
  const finalNumber = head.number - options.finalityDepth;
  if (finalNumber < startBlock) return;
  const number = startBlock + Math.floor(Math.random() * (finalNumber - startBlock + 1));
  const before = await getIndexState(writer.sql);
  const first = yield* compareBlock(sync, number);
  if (!first) return;
  // One answer may be wrong: a difference counts when a second answer repeats it.
  const second =
    first.differences.length > 0 ? yield* compareBlock(sync, number, { avoid: first.node }) : first;
  // A block rolled back meanwhile differs.
  const after = await getIndexState(writer.sql);
  if (!second || after?.generation !== before?.generation) return;
  const differences = second.differences.map(
    ({ table, stored, expected }) =>
      `${table} of block ${number}: ${stored} rows are there that should not, ${expected} are not`,
  );
  report(sync, "blocks", { checked: 1, differences });
}

async function* compareBlock(
  sync: Sync,
  blockNumber: number,
  options: AskOptions = {},
): AsyncGenerator<void, { node: NodeName; differences: TableDifference[] } | undefined> {
  const { chain, writer, agreement } = sync;
  const traced = await isTraced(writer.sql, blockNumber);
  const signal = patience(sync);
  const retry = new Retry(signal);
  const asked = { ...options, signal, traces: traced, retry };
  const { node, blocks } = await chain.fetchBlocks([blockNumber], asked);
  const [fetched] = blocks;
  if (!fetched) return undefined;
  const answer = { blockNumber, node, fetched, traced, proof: "none" } as const;
  const accepted = await agreement.confirm(answer, retry);
  const expected = encodeChainRows(
    await decodeWhole([accepted], sync.identity.chainId, [], Number.POSITIVE_INFINITY),
  );
  const lacksDelegations = !(await hasDelegations(writer.sql, blockNumber));
  const differences: TableDifference[] = [];
  for (const name of Object.keys(chainTables) as ChainTableName[]) {
    yield;
    if (name === "delegations" && lacksDelegations) continue;
    const document = expected.get(name)?.document;
    const found = await findTableDifference(writer.sql, name, blockNumber, document);
    if (found) differences.push(found);
  }
  return { node, differences };
}

/** Returns a signal that ends with the indexer, or at a step's time limit for nodes. */
function patience({ options }: Sync): AbortSignal {
  return AbortSignal.any([options.signal, AbortSignal.timeout(PATIENCE_MS)]);
}

function report(sync: Sync, kind: string, { checked, differences }: StateAudit): void {
  const { options, writer } = sync;
  const { audit } = options.status;
  // A block counts once for all its differing tables.
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
