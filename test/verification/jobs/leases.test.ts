import { afterEach, expect, test, vi } from "vitest";
import { createLeaseWatch } from "../../../src/verification/jobs/queue.ts";

afterEach(() => {
  vi.useRealTimers();
});

test("a lease runs out that is not renewed within 15 s", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const findExpired = createLeaseWatch();
  expect(findExpired(["dead", "alive 1"])).toEqual([]);
  vi.advanceTimersByTime(10_000);
  expect(findExpired(["dead", "alive 2"])).toEqual([]);
  vi.advanceTimersByTime(10_000);
  expect(findExpired(["dead", "alive 2", "new"])).toEqual(["dead"]);
  expect(findExpired([])).toEqual([]);
  expect(findExpired(["dead"])).toEqual([]);
});
