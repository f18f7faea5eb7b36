import type { Fragment, Queryable, Row, Sql, Transaction } from "../db/client.ts";
import { onStatement } from "../db/statements.ts";
import { noteDistributed } from "./cluster/distributed-reads.ts";
import {
  findWithServedState,
  getIndexState,
  getServedState,
  type ServedHead,
  type ServedState,
} from "./sync-state.ts";

/** Runs several queries on one state of the database. On several servers it may be torn: see `wasTorn`. */
export async function readSnapshot<Result>(
  sql: Sql,
  read: (snapshot: Transaction) => Promise<Result>,
): Promise<Result> {
  const result = await sql.begin("ISOLATION LEVEL REPEATABLE READ READ ONLY", read);
  return result as Result;
}

/** Extent of a query that needs no transaction: one statement, or several of one head, such as a list and its names. */
export type Extent = "one statement" | "statements of one head";

/** Runs a query whose statements also read the served state, on one server. Undefined when it exceeds its extent or the head moved. */
export async function readStatements<Found>(
  sql: Sql,
  query: (sql: Queryable, head: PromiseLike<ServedHead>) => Promise<Found>,
  extent: Extent,
  headOf: (state: ServedState) => ServedHead,
): Promise<{ found: Found } | undefined> {
  let reading: Promise<{ found: Row[]; state: ServedState }> | undefined;
  let isVoid = false;
  const refuse = (reason: string) => {
    isVoid = true;
    return new TypeError(reason);
  };
  const answer = async (statement: Fragment, isPartial: boolean) => {
    const before = reading;
    if (isPartial || (before && extent === "one statement")) {
      throw refuse("more than one statement");
    }
    reading = findWithServedState(sql, statement);
    const { found, state } = await reading;
    if (before && !isSameHead(state, (await before).state)) throw refuse("the head moved");
    return found;
  };
  const apart = onStatement(sql, (statement) => {
    const fragment = statement as unknown as Fragment;
    answer(fragment, statement.cursorFn !== undefined).then(statement.resolve, statement.reject);
  });
  const readHead = async () => {
    reading ??= getServedState(sql).then((state) => ({ found: [], state }));
    return headOf((await reading).state);
  };
  const head: PromiseLike<ServedHead> = {
    // biome-ignore lint/suspicious/noThenProperty: it is read only if it is awaited before a statement
    then: (...handlers) => readHead().then(...handlers),
  };
  try {
    const found = await query(apart, head);
    if (isVoid) return undefined;
    await readHead();
    return { found };
  } catch (error) {
    if (isVoid) return undefined;
    throw error;
  }
}

function isSameHead({ head: one }: ServedState, { head: other }: ServedState): boolean {
  return one?.hash === other?.hash && one?.generation === other?.generation;
}

/** Reads the served state of a snapshot first: later statements may depend on the rows' servers. */
export async function readServedState(snapshot: Transaction): Promise<ServedState> {
  const state = await getServedState(snapshot);
  if (state.isDistributed && state.head) noteDistributed(snapshot, state.head.number);
  return state;
}

/** As `readSnapshot`, with the served head; undefined when the snapshot was torn, or lacks rows. */
export async function readUntorn<Result extends object>(
  sql: Sql,
  read: (snapshot: Transaction, head: ServedHead | undefined) => Promise<Result>,
): Promise<Result | undefined> {
  const { served, result } = await readSnapshot(sql, async (snapshot) => {
    const state = await readServedState(snapshot);
    return { served: state, result: await read(snapshot, state.head) };
  });
  return !served.isWhole || (await wasTorn(sql, served)) ? undefined : result;
}

/** Returns whether a roll-back happened between reads of several servers, which share no snapshot: each one raises the generation. */
export async function wasTorn(sql: Sql, { isDistributed, head }: ServedState): Promise<boolean> {
  if (!isDistributed || head === undefined) return false;
  return head.generation !== (await getIndexState(sql))?.generation;
}
