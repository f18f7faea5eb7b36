/** Combination of the conditions on a pair of topics. */
export type Operator = "and" | "or";

/** Returns the smallest sets of topics of which a log must match one, by the operators of each pair. Source: docs/wire.md, "Logs". */
export function topicAlternatives(
  given: readonly number[],
  operatorOf: (first: number, second: number) => Operator,
): number[][] {
  if (given.length < 2) return [[...given]];
  const fits = (set: readonly number[]) =>
    given.every((first, index) =>
      given.slice(index + 1).every((second) => {
        const [one, other] = [set.includes(first), set.includes(second)];
        return operatorOf(first, second) === "and" ? one && other : one || other;
      }),
    );
  const fitting = listSubsets(given).filter(fits);
  return fitting.filter((set) =>
    fitting.every((other) => other === set || !other.every((topic) => set.includes(topic))),
  );
}

function listSubsets(items: readonly number[]): number[][] {
  return items.reduce<number[][]>(
    (subsets, item) => subsets.concat(subsets.map((subset) => [...subset, item])),
    [[]],
  );
}
