import { headerOf } from "../chain/headers.ts";
import type { BlockReference } from "../chain/questions.ts";
import { makesCalls } from "../chain/state/unresponsive-contracts.ts";
import type { BlockHeader } from "../chain/types.ts";
import { quantityToNumber } from "../core/evm/quantity.ts";
import { listSigns } from "../store/state/tokens/signs.ts";
import type { ContractScope } from "../store/state/tokens/state.ts";
import { noteUnresponsive } from "../store/state/tokens/unresponsive.ts";
import { type EncodedRows, encodeChainRows } from "../store/writer/chain.ts";
import { vacuumTables } from "../store/writer/deferred-indexes.ts";
import { writeAs } from "../store/writer/writer.ts";
import { requireStartBlock } from "./binding.ts";
import { loadHead, publishedNumber, readState, reportFollowing, type Sync } from "./context.ts";
import { decodeWhole } from "./decode/block.ts";
import { fetchValidBlocks } from "./fetch.ts";
import { publish, record, requireRecorded } from "./publish.ts";
import { reorganise } from "./reorg/reconcile.ts";
import { tablesOf } from "./state/family.ts";
import {
  countKeys,
  listPendingKeys,
  listTouchedKeys,
  withoutContracts,
  writeState,
} from "./state/reading.ts";

/** Blocks fetched at once close to the head. */
const HEAD_BLOCKS = 16;
/** State reads in one batch at the head. */
const PENDING_READS = 500;
/** A contract is unresponsive when its call had no answer for this long while the node answered another. */
const FAIR_PATIENCE_MS = 1_000;
/** A node may announce a block shortly before it has it. */
const LACKING_PATIENCE_MS = 10_000;

/** Indexes the next blocks up to the node's head one by one, each with the state it touched. Returns false when none was indexed. */
export async function indexNext(
  sync: Sync,
  node: BlockHeader,
  count = HEAD_BLOCKS,
): Promise<boolean> {
  const next = publishedNumber(sync) + 1;
  const to = Math.min(node.number, next + count - 1);
  let isLeftOut = false;
  const blocks = await fetchValidBlocks(sync, {
    ...{ from: next, to },
    proof: "whole",
    headWaits: true,
    make: async (fetched, leftOut) => {
      isLeftOut = leftOut.length > to - next;
      return Promise.all(
        fetched.map(async (one, index) => {
          const header = headerOf(one.block);
          const before = fetched[index - 1];
          const from = before ? quantityToNumber(before.block.number) : next;
          const own = leftOut.filter((number) => number >= from && number < header.number);
          const rows = await decodeWhole(one, sync.identity.chainId, own);
          return { ...header, encoded: encodeChainRows(rows, sync.recordedTables) };
        }),
      );
    },
  });
  if (isLeftOut && to < node.number) return indexNext(sync, node, count * 4);
  for (const { encoded, ...header } of blocks) {
    if (sync.options.signal.aborted) return false;
    if (!sync.head) requireStartBlock(sync.identity, header.hash);
    else if (header.parentHash !== sync.head.hash) return reorganise(sync, sync.head);
    await indexBlock(sync, header, encoded);
  }
  if (blocks.length === 0 && !sync.options.signal.aborted) reportLacking(sync, next);
  return blocks.length > 0;
}

/** Logs an announced block that no node returns in time. */
function reportLacking(sync: Sync, number: number): void {
  const { log, status } = sync.options;
  if (sync.lacking?.number !== number) sync.lacking = { number, since: performance.now() };
  if (performance.now() - sync.lacking.since < LACKING_PATIENCE_MS) return;
  const reason =
    `block ${number} was announced, but no node has it: ` +
    "restart or resynchronise the node, or name another one in RPC_URL";
  if (status.reason !== reason) log.warn(reason);
  status.phase = "waiting";
  status.reason = reason;
}

async function indexBlock(sync: Sync, { number, hash }: BlockReference, encoded: EncodedRows) {
  const { writer } = sync;
  const recorded = { from: publishedNumber(sync) + 1, to: number };
  await record(writer, recorded, encoded, 1);
  await requireRecorded(writer, recorded);
  const range = { ...recorded, signs: await listSigns(writer.sql, recorded) };
  const keys = await listTouchedKeys(writer.sql, writer.families, range, number);
  const asked = withoutContracts(keys, sync.unresponsive.all());
  const values = await readState(sync, asked, { number, hash });
  await publish(writer, range, values ?? null);
  await loadHead(sync);
  reportFollowing(sync);
}

/** Reads a batch of pending state. Returns `none` when nothing is left, `later` when the node cannot answer now. */
export async function readPending(sync: Sync): Promise<"none" | "read" | "later"> {
  const { writer, head, unresponsive } = sync;
  if (!head) return "none";
  const list = (scope: ContractScope) =>
    listPendingKeys(writer.sql, writer.families, scope, PENDING_READS);
  let keys = await list({ except: [...unresponsive.all()] });
  const alone = countKeys(keys) === 0 ? unresponsive.due() : undefined;
  if (alone !== undefined) keys = await list({ only: alone });
  if (countKeys(keys) === 0) {
    if (alone === undefined) return "none";
    unresponsive.delete(alone);
    await writeAs(writer, (transaction) => noteUnresponsive(transaction, [alone], false));
    return "read";
  }
  const patienceMs = unresponsive.patienceMs(new Set(alone === undefined ? [] : [alone]));
  const values = await readState(sync, keys, head);
  if (!values) return "later";
  const isStuck =
    alone !== undefined &&
    patienceMs >= FAIR_PATIENCE_MS &&
    unresponsive.rests(alone) &&
    (await makesCalls(sync.chain, head, { signal: AbortSignal.timeout(patienceMs) }));
  await writeAs(writer, async (transaction) => {
    await writeState(transaction, values);
    if (isStuck) await noteUnresponsive(transaction, [alone], true);
  });
  if (countKeys(keys) >= PENDING_READS) await vacuumTables(writer.sql, tablesOf(writer.families));
  return "read";
}
