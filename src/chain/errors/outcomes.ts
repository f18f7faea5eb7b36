import type { RpcCall } from "../options.ts";
import { NodeError } from "./errors.ts";

/** What became of one call. */
export type Outcome = { result: unknown } | { error: NodeError };

/** Asks calls of one node; one outcome per call, in order. */
export type Ask = (calls: readonly RpcCall[]) => Promise<Outcome[]>;

/** Asks the calls of all groups at once; what came of each group, in order. */
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

/** The items at the indexes. */
export function pick<Item>(items: readonly Item[], indexes: readonly number[]): Item[] {
  return indexes.map((index) => items[index] as Item);
}

/** Asks for the items at the indexes only, and puts each answer in its position. */
export async function fillIn<Item, Answer>(
  answers: Answer[],
  indexes: readonly number[],
  items: readonly Item[],
  ask: (items: readonly Item[]) => Promise<readonly Answer[]>,
): Promise<void> {
  const found = await ask(pick(items, indexes));
  for (const [position, index] of indexes.entries()) answers[index] = found[position] as Answer;
}

/** The result of an outcome; throws its error. */
export function resultOf(outcome: Outcome | undefined): unknown {
  if (outcome === undefined) throw new NodeError("bad-answer", "a call was left without an answer");
  if ("error" in outcome) throw outcome.error;
  return outcome.result;
}

/** The error of an outcome, if it is one. */
export function errorIn(outcome: Outcome | undefined): NodeError | undefined {
  return outcome !== undefined && "error" in outcome ? outcome.error : undefined;
}

/** What `make` makes of the items, up to the first that it throws `NodeError` for; throws the error of the first item. */
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
