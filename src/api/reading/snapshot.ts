import type { Caller } from "../../chain/caller-chain.ts";
import { Admission } from "../../core/admission.ts";
import { busy, ChainError, RequestError } from "../../core/errors.ts";
import type { Queryable, Sql } from "../../db/client.ts";
import {
  type Extent,
  readServedState,
  readSnapshot,
  readStatements,
  wasTorn,
} from "../../store/snapshot.ts";
import { getIndexState, type ServedHead, type ServedState } from "../../store/sync-state.ts";

/** Error text for answers that the index lacks as yet. */
export const STILL_INDEXING = "Chain is indexing now, try again later";
export const REORGANISED = "The chain was reorganised meanwhile, please try again";
const ROWS_LOST = "Parts of the index are missing, please try again later";
const LOADING = "The first synchronisation is still running, please try again later";
const TOO_MANY = "Too many requests wait for the database, please try again later";
const MAXIMUM_WAITING = 10_000;
/** Longer than the time limit of any request. */
const LONGEST_WAIT_MS = 600_000;
/** Most repetitions of an answer after roll-backs between its reads of several servers. */
const MAXIMUM_TORN = 5;
/** PostgreSQL's code for every statement after a failed one in the same transaction. */
const TRANSACTION_ABORTED = "25P02";

/** Reads from the index, once for each part of an answer; with an extent without a transaction. Throws `RequestError`. */
export type Read = <Found>(query: ReadQuery<Found>, extent?: Extent) => Promise<Found>;

/** A query awaits the head only where its statements need it: it comes in the same round trip as the rows. */
export type ReadQuery<Found> = (sql: Queryable, head: PromiseLike<ServedHead>) => Promise<Found>;

/** One part of an answer. */
export interface Task<Result> {
  /** Its `read` also works during the first load, when the index has little more than the head. */
  servedWhileLoading: boolean;
  run(read: Read): Promise<Result>;
}

/** The outcomes of the parts, and their common head; undefined without a read. */
export interface OneState<Result> {
  outcomes: PromiseSettledResult<Result>[];
  head: ServedHead | undefined;
}

/**
 * Runs tasks on one snapshot, open from the first read to the last. A part runs again after another's failure or, once, after a
 * reorg; all run again after a torn read of several servers. A caller has half of the connections at most.
 */
export async function onOneState<Result>(
  sql: Sql,
  tasks: readonly Task<Result>[],
  asker?: Caller,
): Promise<OneState<Result>> {
  const failed = new Map<number, PromiseRejectedResult>();
  let torn = 0;
  for (let isFirst = true; ; isFirst = false) {
    const state = openState(sql, tasks.length - failed.size, asker);
    const outcomes = await Promise.all(
      tasks.map((task, index) => failed.get(index) ?? state.run(task)),
    );
    if (await state.wasTorn()) {
      if (++torn > MAXIMUM_TORN) throw new RequestError(503, "busy", REORGANISED);
      continue;
    }
    let isAgain = false;
    outcomes.forEach((outcome, index) => {
      if (outcome.status === "fulfilled" || failed.has(index)) return;
      const { reason } = outcome;
      if (reason?.code === TRANSACTION_ABORTED || (isFirst && isReplaced(reason))) isAgain = true;
      else failed.set(index, outcome);
    });
    if (!isAgain) return { outcomes: outcomes.map(refuseReplaced), head: state.head() };
  }
}

/** As `onOneState` for one task: returns its result, or throws its error. */
export async function resultOnOneState<Result>(
  sql: Sql,
  run: Task<Result>["run"],
  {
    servedWhileLoading = false,
    asker,
  }: { servedWhileLoading?: boolean | undefined; asker?: Caller } = {},
): Promise<{ result: Result; head: ServedHead | undefined }> {
  const { outcomes, head } = await onOneState(sql, [{ servedWhileLoading, run }], asker);
  const [outcome] = outcomes;
  if (outcome?.status !== "fulfilled") throw outcome?.reason;
  return { result: outcome.value, head };
}

/** Throws `RequestError` during the first synchronisation. For requests that do not read, but need the whole index. */
export async function requireSynchronised(sql: Queryable): Promise<void> {
  if (!(await getIndexState(sql))?.synchronised) throw new RequestError(503, "loading", LOADING);
}

/** No block is served yet. */
export class NothingServed extends RequestError {
  constructor() {
    super(503, "loading", STILL_INDEXING);
  }
}

/** Returns what a query finds, and the head of its state. */
export function withHead<Found>(
  read: Read,
  query: (sql: Queryable) => Promise<Found>,
  extent?: Extent,
): Promise<{ found: Found; head: ServedHead }> {
  return read(async (sql, head) => ({ found: await query(sql), head: await head }), extent);
}

/** Returns the number of the served head; 0 before the first block. */
export async function readHeadNumber(read: Read): Promise<number> {
  try {
    return await read(async (_sql, head) => (await head).number, "one statement");
  } catch (error) {
    if (error instanceof NothingServed) return 0;
    throw error;
  }
}

interface Opened {
  snapshot: Queryable;
  served: Promise<ServedState>;
}

/** Last state of each client. After a state with a head and all indexes, a query does not wait for the next check. */
const lastStates = new WeakMap<Sql, ServedState>();

const connections = new WeakMap<Sql, Admission>();

function admitTo({ options: { max } }: Sql): Admission {
  return new Admission({
    capacity: () => max,
    share: () => ({ one: Math.ceil(max / 2) }),
    queue: { all: MAXIMUM_WAITING },
    patienceMs: LONGEST_WAIT_MS,
    refuse: (reason) =>
      reason === "aborted" ? new Error("the request has ended") : busy(TOO_MANY),
  });
}

async function inShare<Result>(sql: Sql, asker: Caller | undefined, read: () => Promise<Result>) {
  if (!asker) return read();
  const admission = connections.get(sql) ?? admitTo(sql);
  connections.set(sql, admission);
  const release = await admission.enter({ client: asker.caller, signal: asker.signal });
  return read().finally(release);
}

/** Opens one snapshot once every task reads or has ended, so that no connection waits for a node. */
function openState(sql: Sql, count: number, asker: Caller | undefined) {
  let opened: Promise<Opened> | undefined;
  let served: ServedState | undefined;
  const allReady = countDown(count);
  const allRead = countDown(count);

  /** Resolves when the snapshot can be read: the answer must not wait for the end of the transaction. */
  function open(): Promise<Opened> {
    return new Promise((resolve, reject) => {
      inShare(sql, asker, () =>
        readSnapshot(sql, async (snapshot) => {
          resolve({ snapshot, served: readServedState(snapshot).then(note) });
          await allRead.reached;
        }),
      ).catch(reject);
    });
  }

  function note(state: ServedState): ServedState {
    served = state;
    lastStates.set(sql, state);
    return state;
  }

  async function readTransaction<Found>(
    query: ReadQuery<Found>,
    headOf: (state: ServedState) => ServedHead,
  ): Promise<Found> {
    await allReady.reached;
    opened ??= open();
    const { snapshot, served: reads } = await opened;
    const head = reads.then(headOf);
    const last = lastStates.get(sql);
    if (!isReady(last) || last.isDistributed) await head;
    const [found] = await Promise.all([query(snapshot, head), head]);
    return found;
  }

  async function run<Result>(task: Task<Result>): Promise<PromiseSettledResult<Result>> {
    let wasRead = false;
    const headOf = ({ head, isIndexed, isWhole }: ServedState) => {
      if (!isWhole) throw new RequestError(503, "database-unreachable", ROWS_LOST);
      if (!isIndexed && !task.servedWhileLoading) throw new RequestError(503, "loading", LOADING);
      if (!head) throw new NothingServed();
      return head;
    };
    const read: Read = async (query, extent) => {
      if (wasRead) throw new TypeError("a part of an answer reads the index once");
      wasRead = true;
      allReady.step();
      try {
        const last = lastStates.get(sql);
        const alone =
          extent && count === 1 && isReady(last) && !last.isDistributed
            ? await inShare(sql, asker, () =>
                readStatements(sql, query, extent, (state) => headOf(note(state))),
              )
            : undefined;
        return alone ? alone.found : await readTransaction(query, headOf);
      } finally {
        allRead.step();
      }
    };
    const [outcome] = await Promise.allSettled([task.run(read)]);
    if (!wasRead) {
      allReady.step();
      allRead.step();
    }
    return outcome;
  }

  return {
    run,
    /** Also undefined while a database hangs. */
    head: () => served?.head,
    wasTorn: async () => served !== undefined && wasTorn(sql, served),
  };
}

/** Creates a countdown; `reached` resolves after `count` steps. */
function countDown(count: number): { step: () => void; reached: Promise<void> } {
  let left = count;
  const { promise, resolve } = Promise.withResolvers<void>();
  const step = () => {
    if (--left === 0) resolve();
  };
  return { step, reached: promise };
}

function isReady(state: ServedState | undefined): state is ServedState {
  return state?.head !== undefined && state.isIndexed && state.isWhole;
}

function refuseReplaced<Result>(
  outcome: PromiseSettledResult<Result>,
): PromiseSettledResult<Result> {
  return outcome.status === "rejected" && isReplaced(outcome.reason)
    ? {
        status: "rejected",
        reason: new RequestError(503, "busy", REORGANISED, { cause: outcome.reason }),
      }
    : outcome;
}

/** Returns whether the node has left the branch of the served head, which the index has not followed yet. */
function isReplaced(error: unknown): boolean {
  return (
    error instanceof ChainError &&
    (error.code === "block-replaced" || error.code === "block-unknown")
  );
}
