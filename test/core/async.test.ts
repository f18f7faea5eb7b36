import fc from "fast-check";
import { expect, test } from "vitest";
import { chunk, keepResult, mapLimit, sleep, within } from "../../src/core/async.ts";

test("keeps the order of the items, and never runs more than the limit", async () => {
  let running = 0;
  let most = 0;
  const results = await mapLimit([5, 0, 3, 1, 4, 2], 2, async (item, index) => {
    most = Math.max(most, ++running);
    await sleep(item);
    running--;
    return [item, index];
  });
  expect(results).toEqual([5, 0, 3, 1, 4, 2].map((item, index) => [item, index]));
  expect(most).toBe(2);
});

test("begins nothing after a failure, and rejects once nothing runs any more", async () => {
  const begun: number[] = [];
  let ended = 0;
  const mapping = mapLimit([0, 1, 2, 3], 2, async (item) => {
    begun.push(item);
    await sleep(item === 0 ? 1 : 20);
    ended++;
    if (item === 0) throw new Error("first");
    throw new Error("second");
  });
  await expect(mapping).rejects.toThrow("first");
  expect(begun).toEqual([0, 1]);
  expect(ended).toBe(2);
});

test("gives nothing for nothing", async () => {
  expect(await mapLimit([], 3, () => Promise.reject(new Error("never asked")))).toEqual([]);
});

test("cuts into pieces that are whole again when joined", () => {
  fc.assert(
    fc.property(fc.array(fc.nat()), fc.integer({ min: 1, max: 9 }), (items, size) => {
      const chunks = chunk(items, size);
      expect(chunks.flat()).toEqual(items);
      expect(chunks.every(({ length }) => length > 0 && length <= size)).toBe(true);
      expect(chunks.slice(0, -1).every(({ length }) => length === size)).toBe(true);
    }),
  );
});

test("ends a sleep when its signal is aborted, before and while it sleeps", async () => {
  await sleep(600_000, AbortSignal.abort());
  const controller = new AbortController();
  const sleeping = sleep(600_000, controller.signal);
  controller.abort();
  await sleeping;
});

test("what was loaded is kept, a failure is not", async () => {
  let loads = 0;
  const load = keepResult(async () => {
    loads++;
    if (loads === 1) throw new Error("not now");
    return loads;
  });
  await Promise.all([load(), load()].map((one) => expect(one).rejects.toThrow("not now")));
  expect(await Promise.all([load(), load()])).toEqual([2, 2]);
  expect(await load()).toBe(2);
});

test("gives what the work gives in time, its failure as well", async () => {
  const late = () => new Error("late");
  expect(await within(60_000, Promise.resolve("done"), late)).toBe("done");
  await expect(within(60_000, Promise.reject(new Error("failed")), late)).rejects.toThrow("failed");
});

test("does not wait longer for work than it may take", async () => {
  const never = new Promise(() => {});
  await expect(within(1, never, () => new Error("late"))).rejects.toThrow("late");
});
