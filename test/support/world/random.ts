/** Draws that a seed fixes: the same seed gives the same draws on every machine. */
export interface Random {
  readonly seed: number;
  /** Integer from 0 (inclusive) to `end` (exclusive). */
  integer(end: number): number;
  /** Returns whether an event of this probability (0 to 1) happens. */
  chance(probability: number): boolean;
  /** One of the items, all equally likely. */
  pick<Item>(items: readonly Item[]): Item;
  /** `0x` text of so many bytes. */
  bytes(length: number): `0x${string}`;
}

/** Random numbers from a 32-bit seed (xorshift with a multiplicative finish). */
export function createRandom(seed: number): Random {
  let state = (seed ^ 0x9e3779b9) >>> 0 || 1;

  function next(): number {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return Math.imul(state, 0x2c1b3c6d) >>> 0;
  }
  // The first draws of neighbouring seeds resemble each other.
  for (let round = 0; round < 8; round++) next();

  const integer = (end: number): number => Math.floor((next() / 2 ** 32) * end);
  return {
    seed,
    integer,
    chance: (probability) => next() / 2 ** 32 < probability,
    pick: <Item>(items: readonly Item[]): Item => {
      if (items.length === 0) throw new RangeError("nothing to pick from");
      return items[integer(items.length)] as Item;
    },
    bytes: (length) =>
      `0x${Array.from({ length }, () => integer(256).toString(16).padStart(2, "0")).join("")}`,
  };
}
