import type { RpcCall } from "../options.ts";
import type { ChainErrorCode } from "./codes.ts";
import { NodeError } from "./errors.ts";

/** Outcome of one call. */
export type Outcome = { result: unknown } | { error: NodeError };

/** Sends calls to one node; returns one outcome per call, in order. */
export type Ask = (calls: readonly RpcCall[]) => Promise<Outcome[]>;

/** Sends the calls of all groups at once; returns the outcomes of each group, in order. */
export async function askGroups<Call, Came>(
  ask: (calls: readonly Call[]) => Promise<Came[]>,
  groups: readonly (readonly Call[])[],
): Promise<Came[][]> {
  const came = await ask(groups.flat());
  let next = 0;
  return groups.map(({ length }) => {
    next += length;
    return came.slice(next - length, next);
  });
}

/** Returns the items at the indexes. */
export function pick<Item>(items: readonly Item[], indexes: readonly number[]): Item[] {
  return indexes.map((index) => items[index] as Item);
}

/** Asks for the items at the indexes only, and stores each answer at its index. */
export async function fillIn<Item, Answer>(
  answers: Answer[],
  indexes: readonly number[],
  items: readonly Item[],
  ask: (items: readonly Item[]) => Promise<readonly Answer[]>,
): Promise<void> {
  const found = await ask(pick(items, indexes));
  for (const [position, index] of indexes.entries()) answers[index] = found[position] as Answer;
}

/** Returns the result of an outcome; throws its error. */
export function resultOf(outcome: Outcome | undefined): unknown {
  if (outcome === undefined) throw new NodeError("bad-answer", "a call was left without an answer");
  if ("error" in outcome) throw outcome.error;
  return outcome.result;
}

/** Returns the error of an outcome, if any. */
export function errorIn(outcome: Outcome | undefined): NodeError | undefined {
  return outcome !== undefined && "error" in outcome ? outcome.error : undefined;
}

/** Returns whether the error means that the node lacks the method. */
export function isMissing(error: NodeError | undefined): boolean {
  return error !== undefined && MISSING.has(error.code);
}

/** As `isMissing`, or an error whose words are not known. */
export function isRefusal(error: NodeError | undefined): boolean {
  return isMissing(error) || error?.code === "node-error";
}

const MISSING: ReadonlySet<ChainErrorCode> = new Set([
  "method-missing",
  "invalid-request",
  "unauthorized",
]);

/** Maps the items with `make` until one throws `NodeError`; throws when the first item does. */
export function untilFailure<Item, Made>(
  items: readonly Item[],
  make: (item: Item, index: number) => Made,
): Made[] {
  const made: Made[] = [];
  for (const [index, item] of items.entries()) {
    try {
      made.push(make(item, index));
    } catch (thrown) {
      if (index === 0 || !(thrown instanceof NodeError)) throw thrown;
      break;
    }
  }
  return made;
}
