import { sleep } from "../../core/async.ts";
import { asUnanswered, ChainError, messageOf } from "../../core/errors.ts";
import type { Queryable, Transaction } from "../../db/client.ts";
import { getUnreadFees, writeEarlierFees } from "../../store/lists/l1-fees.ts";
import type { BlockRange } from "../../store/writer/chain.ts";
import type { ChainRows } from "../../store/writer/chain-tables.ts";
import {
  getUntraced,
  lastNumber,
  markTraced,
  writeEarlierTraces,
} from "../../store/writer/earlier-traces.ts";
import { writeAs } from "../../store/writer/writer.ts";
import { reportTraces } from "../binding.ts";
import type { Sync } from "../context.ts";
import { decodeBlocks } from "../decode/block.ts";
import { fetchValidBlocks } from "../fetch.ts";

const BLOCKS_AT_ONCE = 16;
/** How long a step waits for the nodes, so that a new head is not delayed. A later step uses a slower answer. */
const PATIENCE_MS = 3_000;
/** Pauses after a block that was fetched alone failed, doubled each time: a node without old state is asked seldom. */
const FIRST_PAUSE_MS = 10_000;
const LONGEST_PAUSE_MS = 600_000;
/** Time to the first probe for a tracer, doubled each time up to the same limit. */
const FIRST_PROBE_MS = 5_000;

type Step = (sync: Sync) => Promise<"read" | "none">;

/** Data of published blocks to be read from the nodes again. */
interface Rereading {
  traced: boolean;
  isNewestFirst: boolean;
  /** Returns the blocks left. */
  find(sql: Queryable): Promise<BlockRange | undefined>;
  /** Writes the rows of the blocks from `from` on. Returns false when one of them is not the indexed one. */
  write(sql: Transaction, from: number, rows: ChainRows): Promise<boolean>;
  /** Reports the number of blocks left, and why the last one failed. */
  report(sync: Sync, unread: number, failure: string | undefined): void;
}

/** Creates the function that reads such blocks, one step a call, and fewer at once after a failure. */
function createRereading({ traced, isNewestFirst, find, write, report }: Rereading): Step {
  let count = BLOCKS_AT_ONCE;
  let retryAt = 0;
  let pauseMs = FIRST_PAUSE_MS;
  let failure: string | undefined;
  let pending: ReturnType<typeof read> | undefined;

  async function read(sync: Sync, from: number, to: number) {
    const rows = await fetchValidBlocks(sync, {
      ...{ from, to, traced, proof: "none" },
      make: async (blocks, leftOut) => decodeBlocks(blocks, leftOut),
    }).catch((error: unknown) => {
      if (!(error instanceof ChainError)) throw error;
      failure = messageOf(error);
    });
    return { from, rows, isWhole: rows && lastNumber(from, rows) === to };
  }

  return async (sync) => {
    const { sql } = sync.writer;
    if (performance.now() < retryAt) return "none";
    const unread = await find(sql);
    report(sync, unread ? unread.to - unread.from + 1 : 0, failure);
    if (!unread) return "none";
    const range = isNewestFirst
      ? { from: Math.max(unread.from, unread.to - count + 1), to: unread.to }
      : { from: unread.from, to: Math.min(unread.to, unread.from + count - 1) };
    pending ??= read(sync, range.from, range.to);
    const answer = await Promise.race([pending, sleep(PATIENCE_MS)]);
    if (!answer) return "none";
    pending = undefined;
    const { from, rows, isWhole } = answer;
    if (rows && (isWhole || !isNewestFirst)) {
      let isWritten = false;
      await writeAs(sync.writer, async (transaction) => {
        isWritten = await write(transaction, from, rows);
      });
      if (isWritten) {
        count = Math.min(BLOCKS_AT_ONCE, count * 2);
        pauseMs = FIRST_PAUSE_MS;
        failure = undefined;
        return "read";
      }
    } else if (count > 1) {
      count >>= 1;
      return "none";
    }
    retryAt = performance.now() + pauseMs;
    pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
    return "none";
  };
}

/** Creates the function that reads L1 fees of earlier blocks, one step a call. */
export function createEarlierFees(): Step {
  return createRereading({
    traced: false,
    isNewestFirst: true,
    find: getUnreadFees,
    write: writeEarlierFees,
    report: ({ options }, unread) => {
      options.status.l1Fees = unread > 0 ? { unread } : null;
    },
  });
}

/**
 * Creates the function that indexes the internal transactions of a chain that was bound without traces, once a node can trace
 * its blocks: one step a call, oldest blocks first. New blocks come without traces until all have them.
 */
export function createEarlierTraces(): Step {
  let probeMs = FIRST_PROBE_MS;
  let probeAt = performance.now() + probeMs;
  const readTraces = createRereading({
    traced: true,
    isNewestFirst: false,
    find: getUntraced,
    write: writeEarlierTraces,
    report: ({ chain, options }, unread, failure) => {
      const reason = `the internal transactions of ${unread} blocks are still to be indexed${failure ? `; the last attempt failed: ${failure}` : ""}`;
      options.status.traces = { tracer: chain.capabilities().tracer, reason, unread };
    },
  });
  return async (sync) => {
    const { chain, identity, options, writer } = sync;
    if (identity.traced || writer.isDistributed) return "none";
    if (chain.capabilities().tracer === null) {
      if (performance.now() < probeAt) return "none";
      await chain.probe({ chainId: identity.chainId, signal: options.signal }).catch(asUnanswered);
      probeMs = Math.min(LONGEST_PAUSE_MS, probeMs * 2);
      probeAt = performance.now() + probeMs;
      return "none";
    }
    if ((await readTraces(sync)) === "read") return "read";
    if (!sync.head || (await getUntraced(writer.sql))) return "none";
    await writeAs(writer, markTraced);
    sync.identity = { ...identity, traced: true };
    reportTraces(chain, sync.identity, options);
    options.log.info("all blocks have their internal transactions");
    return "read";
  };
}
