import { expect, test } from "vitest";
import type { Address } from "../../src/core/address.ts";
import { type ConsecutiveTransfer, lastMovements } from "../../src/store/consecutive-transfers.ts";
import { createRandom, type Random } from "../support/world/random.ts";

const IDS = 20;

function transfers(random: Random, count: number): ConsecutiveTransfer[] {
  return Array.from({ length: count }, (_, logIndex) => ({
    firstId: BigInt(random.integer(IDS)),
    // Now and then below the first.
    lastId: BigInt(random.integer(IDS)),
    to: `0x${String(logIndex).padStart(40, "0")}` as Address,
    blockNumber: random.integer(4),
    transactionIndex: 0,
    logIndex,
  }));
}

const has = (id: bigint) => (one: ConsecutiveTransfer) => one.firstId <= id && id <= one.lastId;

test("of each id its last movement is kept, and no other", () => {
  const random = createRandom(5);
  for (let round = 0; round < 500; round++) {
    const all = transfers(random, random.integer(12));
    const kept = lastMovements(all);
    for (let id = 0n; id < IDS; id++) {
      const last = all
        .filter(has(id))
        .sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
        .at(-1);
      expect(kept.filter(has(id)).map(({ to }) => to)).toEqual(last ? [last.to] : []);
    }
    const firsts = kept.map(({ firstId }) => firstId);
    expect(firsts).toEqual(firsts.toSorted((a, b) => Number(a - b)));
  }
});
