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
import { isSynchronised, type ServedHead, type ServedState } from "../../store/sync-state.ts";

/** Error text where the index cannot tell yet. */
export const STILL_INDEXING = "Chain is indexing now, try again later";
const REORGANISED = "The chain was reorganised meanwhile, please try again";
const ROWS_LOST = "Parts of the index are missing, please try again later";
const LOADING = "The first synchronisation is still running, please try again later";
const TOO_MANY = "Too many requests wait for the database, please try again later";
const MAXIMUM_WAITING = 10_000;
/** Longer than any request may take. */
const LONGEST_WAIT_MS = 600_000;
/** So often an answer is made anew because a roll-back came between its reads of several servers. */
const MAXIMUM_TORN = 5;
/** PostgreSQL's code for every statement after a failed one in the same transaction. */
const TRANSACTION_ABORTED = "25P02";

/**
 * Reads from the index, once for each part of an answer: this one call reads all that the part needs. Afterwards the
 * node is asked for its state at the given head. A query that says its extent needs no transaction as a rule, and costs
 * half as much. Throws `RequestError` before the first block.
 */
export type Read = <Found>(query: ReadQuery<Found>, extent?: Extent) => Promise<Found>;

/**
 * The head comes in the same round trip to the database as the rows, so a query awaits it only where its statements need
 * it.
 */
export type ReadQuery<Found> = (sql: Queryable, head: PromiseLike<ServedHead>) => Promise<Found>;

/** What makes one part of an answer. */
export interface Task<Result> {
  /** Its `read` also works during the first load, when there is little more than the head. */
  servedWhileLoading: boolean;
  run(read: Read): Promise<Result>;
}

/** The outcomes of the parts, and the head that all of them were read at; undefined when nothing was read. */
export interface OneState<Result> {
  outcomes: PromiseSettledResult<Result>[];
  head: ServedHead | undefined;
}

/**
 * Runs all tasks on one state of the index: they read from one snapshot in one transaction. It begins with the first
 * read and ends with the last, so that no connection is held while nodes are asked. A part runs again when another
 * part's failure ended the transaction, and once when the node has left the branch of the head; after that it is
 * refused with a `RequestError`. All run again when a roll-back came between reads of several servers. An asker has half of
 * the connections at most; what more it asks for waits, and others do not wait for it.
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

/** As `onOneState`, of one task: its result. Throws what the task throws. */
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

/** Throws `RequestError` until the first synchronisation is done. For what does not read, yet needs the whole index. */
export async function requireSynchronised(sql: Queryable): Promise<void> {
  if (!(await isSynchronised(sql))) throw new RequestError(503, "loading", LOADING);
}

/** No block is served yet. */
export class NothingServed extends RequestError {
  constructor() {
    super(503, "loading", STILL_INDEXING);
  }
}

/** The number of the served head; 0 before the first block. */
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

/** What each client read last. Where there were a head and all indexes, a query does not wait for the next check. */
const lastStates = new WeakMap<Sql, ServedState>();

/** The connections of each client of the database. */
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

/** Runs a read when its asker has a connection to spare. */
async function inShare<Result>(
  sql: Sql,
  asker: Caller | undefined,
  read: () => Promise<Result>,
): Promise<Result> {
  if (!asker) return read();
  const admission = connections.get(sql) ?? admitTo(sql);
  connections.set(sql, admission);
  const release = await admission.enter({ client: asker.caller, signal: asker.signal });
  return read().finally(release);
}

/**
 * One snapshot for a number of tasks, each of which reads at most once. It is opened when all of them want to read, or
 * never will: what one asks elsewhere before holds no connection.
 */
function openState(sql: Sql, count: number, asker: Caller | undefined) {
  let opened: Promise<Opened> | undefined;
  let served: ServedState | undefined;
  const allReady = countDown(count);
  const allRead = countDown(count);

  /** The answer does not wait for the end of the transaction. */
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

/** `reached` resolves with the last of so many steps. */
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

/** The node has left the branch of the served head, and the index has not followed yet. */
function isReplaced(error: unknown): boolean {
  return (
    error instanceof ChainError &&
    (error.code === "block-replaced" || error.code === "block-unknown")
  );
}
