import { expect, it } from "vitest";
import type { Transaction } from "../../../src/db/client.ts";
import type { StateReading } from "../../../src/indexer/state/family.ts";
import { writeState } from "../../../src/indexer/state/reading.ts";

it("what was read of a family in bunches is written at once", async () => {
  const written: unknown[] = [];
  const readingOf = (name: string): StateReading => ({
    listTouched: async () => [],
    listPending: async () => [],
    selectPending: (sql) => sql`SELECT WHERE false`,
    fetch: async () => ({ rows: [], unanswered: [] }),
    write: async (_, blockNumber, rows) => {
      written.push([name, blockNumber, ...rows]);
    },
  });
  const [one, other] = [readingOf("one"), readingOf("other")];
  const rows = [
    { reading: one, rows: [1, 2] },
    { reading: other, rows: [7] },
    { reading: one, rows: [3] },
  ];
  const block = { number: 5, hash: "0x" } as const;
  await writeState({} as Transaction, { block, rows, unresponsive: [] });
  expect(written).toEqual([
    ["one", 5, 1, 2, 3],
    ["other", 5, 7],
  ]);
});
