import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createUnresponsiveContracts } from "../../../src/chain/state/unresponsive-contracts.ts";
import { addressAt } from "../../support/build.ts";

const [a, b, c] = [1, 2, 3].map(addressAt) as [`0x${string}`, `0x${string}`, `0x${string}`];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

it("asks those first that failed in company only, the others after their rests", () => {
  const contracts = createUnresponsiveContracts([c]);
  expect(contracts.due()).toBeUndefined();
  vi.advanceTimersByTime(6_000);
  contracts.add(new Set([a, b]));
  expect(contracts.due()).toBe(a);
  contracts.add(new Set([a]));
  expect([contracts.rests(a), contracts.rests(b)]).toEqual([true, false]);
  expect(contracts.due()).toBe(b);
  contracts.delete(b);
  expect(contracts.due()).toBe(c);
  expect(contracts.all()).toEqual(new Set([c, a]));
});

it("has less patience with company after each failure, and more with one after each rest", () => {
  const contracts = createUnresponsiveContracts();
  const together = () => contracts.patienceMs(new Set([a, b]));
  const alone = () => contracts.patienceMs(new Set([c]));
  expect([together(), alone()]).toEqual([5_000, 5_000]);
  contracts.add(new Set([b, c]));
  expect([together(), alone()]).toEqual([2_500, 500]);
  const grown = Array.from({ length: 5 }, () => {
    contracts.add(new Set([c]));
    return alone();
  });
  expect(grown).toEqual([1_000, 2_000, 4_000, 5_000, 5_000]);
  expect(together()).toBe(2_500);
  for (let count = 10; count < 20; count++) contracts.add(new Set([addressAt(count)]));
  expect(together()).toBe(500);
  contracts.noteAnswered(new Set([a, b]));
  contracts.noteAnswered(new Set());
  expect(together()).toBe(500);
  contracts.noteAnswered(new Set([a]));
  expect(together()).toBe(1_000);
});
