import fc from "fast-check";
import { expect, test } from "vitest";
import { mergePage, windowAround } from "../../../../src/api/explorer/from-node/members.ts";

const ascending = (a: number, b: number) => a - b;

test("a page of the merged list is the same as that of the list with the fresh entries sorted in", () => {
  const numbers = fc.uniqueArray(fc.integer({ min: 0, max: 60 }), { maxLength: 40 });
  fc.assert(
    fc.property(
      numbers,
      fc.uniqueArray(fc.integer({ min: 61, max: 120 }), { maxLength: 8 }),
      fc.nat(40),
      fc.integer({ min: 1, max: 12 }),
      (settled, others, skip, limit) => {
        // Unsure entries may come back anywhere, or not at all.
        const fresh = others
          .map((value) => ((value * 7) % 61) + 0.5)
          .filter((_, index) => index % 3 !== 0);
        const page = { skip, limit };
        const list = [...settled].sort(ascending);
        const window = windowAround(page, others.length);
        const rows = list.slice(window.skip, window.skip + window.limit);
        const whole = [...list, ...new Set(fresh)].sort(ascending);
        expect(mergePage(rows, [...new Set(fresh)], ascending, page, window)).toEqual(
          whole.slice(skip, skip + limit),
        );
      },
    ),
    { numRuns: 2000, seed: 3 },
  );
});

test("behind the end of the list there is nothing, whatever is fresh", () => {
  const entries = [{ amount: 3 }, { amount: 5 }];
  const page = { skip: 9, limit: 5 };
  const window = windowAround(page, entries.length);
  expect(window).toEqual({ skip: 7, limit: 7 });
  expect(mergePage([], entries, (a, b) => a.amount - b.amount, page, window)).toEqual([]);
});

test("what is fresh stands first when it is before all others", () => {
  const page = { skip: 0, limit: 2 };
  expect(mergePage([10, 20], [5], ascending, page, windowAround(page, 1))).toEqual([5, 10]);
});
