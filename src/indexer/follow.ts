import { headerOf } from "../chain/headers.ts";
import { makesCalls } from "../chain/state/unresponsive-contracts.ts";
import type { BlockHeader, FetchedBlock } from "../chain/types.ts";
import { chunk } from "../core/async.ts";
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
/** More blocks are published together, with the state at the last one: one by one, the index might never be at the head. */
const BLOCKS_ONE_BY_ONE = 3;
/** State reads in one batch at the head. */
const PENDING_READS = 500;
/** A contract is unresponsive when its call had no answer for this long while the node answered another. */
const FAIR_PATIENCE_MS = 1_000;
/** A node may announce a block shortly before it has it. */
const LACKING_PATIENCE_MS = 10_000;

interface Part {
  first: BlockHeader;
  last: BlockHeader;
  encoded: EncodedRows;
}

/** Indexes the next blocks up to the node's head, each with the state it touched; many at once. Returns false when none was indexed. */
export async function indexNext(
  sync: Sync,
  node: BlockHeader,
  count = HEAD_BLOCKS,
): Promise<boolean> {
  const next = publishedNumber(sync) + 1;
  const to = Math.min(node.number, next + count - 1);
  let isLeftOut = false;
  const parts = await fetchValidBlocks(sync, {
    ...{ from: next, to },
    proof: "whole",
    headWaits: true,
    make: (fetched, leftOut) => {
      isLeftOut = leftOut.length > to - next;
      const size = fetched.length > BLOCKS_ONE_BY_ONE ? fetched.length : 1;
      return Promise.all(chunk(fetched, size).map((blocks) => encodePart(sync, blocks, leftOut)));
    },
  });
  if (isLeftOut && to < node.number) return indexNext(sync, node, count * 4);
  for (const part of parts) {
    if (sync.options.signal.aborted) return false;
    if (!sync.head) requireStartBlock(sync.identity, part.first.hash);
    else if (part.first.parentHash !== sync.head.hash) return reorganise(sync, sync.head);
    await indexPart(sync, part);
  }
  if (parts.length === 0 && !sync.options.signal.aborted) reportLacking(sync, next);
  return parts.length > 0;
}

/** Returns the rows of consecutive blocks that are published together, and of the numbers left out before each. */
async function encodePart(
  { identity, recordedTables }: Sync,
  blocks: readonly FetchedBlock[],
  leftOut: readonly number[],
) {
  const headers = blocks.map(({ block }) => headerOf(block));
  const [first, last] = [headers[0], headers.at(-1)] as [BlockHeader, BlockHeader];
  const own = headers.flatMap(({ number }) => numbersBelow(number, new Set(leftOut)));
  const rows = await decodeWhole(blocks, identity.chainId, own);
  return { first, last, encoded: encodeChainRows(rows, recordedTables) };
}

/** Returns the numbers directly below a block's that the chain left out. */
function numbersBelow(number: number, leftOut: ReadonlySet<number>): number[] {
  const numbers: number[] = [];
  for (let below = number - 1; leftOut.has(below); below--) numbers.push(below);
  return numbers;
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

async function indexPart(sync: Sync, { last, encoded }: Part) {
  const { writer } = sync;
  const recorded = { from: publishedNumber(sync) + 1, to: last.number };
  await record(writer, recorded, encoded, 1);
  await requireRecorded(writer, recorded);
  const range = { ...recorded, signs: await listSigns(writer.sql, recorded) };
  const keys = await listTouchedKeys(writer, range, last.number);
  const asked = withoutContracts(keys, sync.unresponsive.all());
  const values = await readState(sync, asked, last);
  await publish(writer, range, values ?? null);
  await loadHead(sync);
  reportFollowing(sync);
}

/** Reads a batch of pending state. Returns `none` when nothing is left, `later` when the node cannot answer now. */
export async function readPending(sync: Sync): Promise<"none" | "read" | "later"> {
  const { writer, head, unresponsive } = sync;
  if (!head) return "none";
  const list = (scope: ContractScope) => listPendingKeys(writer, scope, PENDING_READS);
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
