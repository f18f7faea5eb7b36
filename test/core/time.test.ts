import fc from "fast-check";
import { expect, test } from "vitest";
import { parseUtcDay, SECONDS_PER_DAY, utcDay } from "../../src/core/time.ts";

test("names the day of a time, from its first to its last second", () => {
  expect(utcDay(0)).toBe("1970-01-01");
  expect(utcDay(SECONDS_PER_DAY - 1)).toBe("1970-01-01");
  expect(utcDay(SECONDS_PER_DAY)).toBe("1970-01-02");
  expect(utcDay(1_709_164_800)).toBe("2024-02-29");
});

test("gives the midnight that begins a day", () => {
  fc.assert(
    fc.property(fc.nat(100_000), (day) => {
      expect(parseUtcDay(utcDay(day * SECONDS_PER_DAY))).toBe(day * SECONDS_PER_DAY);
    }),
  );
});

test.each(["2023-02-29", "2024-13-01", "2024-00-10", "2024-1-1", "2024-01-01T00:00:00Z", "", "x"])(
  "refuses %j, which is no day",
  (day) => expect(parseUtcDay(day)).toBeUndefined(),
);
