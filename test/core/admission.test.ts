import { describe, expect, test } from "vitest";
import { Admission, type AdmissionOptions, type Release } from "../../src/core/admission.ts";

const refuse: AdmissionOptions["refuse"] = (reason) => new Error(reason);
const options = { capacity: () => 10, share: () => ({ one: 1 }), queue: { all: 3 }, refuse };

/** Returns whether a ticket was admitted by now. */
async function isInside(entering: Promise<Release>): Promise<boolean> {
  const now = new Promise<false>((resolve) => setImmediate(resolve, false));
  return Promise.race([entering.then(() => true), now]);
}

test("admits what there is capacity for, and the others in their order", async () => {
  const admission = new Admission(options);
  const first = admission.enter({ client: "a", amount: 6 });
  const second = admission.enter({ client: "b", amount: 5 });
  // Small enough, but behind one that waits for capacity.
  const third = admission.enter({ client: "c", amount: 1 });
  expect(await Promise.all([first, second, third].map(isInside))).toEqual([true, false, false]);
  (await first)();
  expect(await Promise.all([second, third].map(isInside))).toEqual([true, true]);
});

test("admits one of a client at a time, which keeps no other client waiting", async () => {
  const admission = new Admission(options);
  const first = admission.enter({ client: "a" });
  const second = admission.enter({ client: "a" });
  const other = admission.enter({ client: "b" });
  expect(await Promise.all([first, second, other].map(isInside))).toEqual([true, false, true]);
  const release = await first;
  release();
  release();
  expect(await isInside(second)).toBe(true);
  expect(await isInside(admission.enter({ client: "b", amount: 8 }))).toBe(false);
});

test("admits as many of a client as its share has", async () => {
  const admission = new Admission({ ...options, share: () => ({ one: 2 }) });
  const tickets = [1, 2, 3].map(() => admission.enter({ client: "a" }));
  const other = admission.enter({ client: "b" });
  expect(await Promise.all([...tickets, other].map(isInside))).toEqual([true, true, false, true]);
  (await tickets[1])?.();
  expect(await Promise.all(tickets.map(isInside))).toEqual([true, true, true]);
});

test("refuses a ticket when the queue is full, and one that waits too long", async () => {
  const admission = new Admission({ ...options, patienceMs: 20 });
  const release = await admission.enter({ client: "a", amount: 10 });
  const waiting = ["b", "c", "d"].map((client) => admission.enter({ client }));
  await expect(admission.enter({ client: "e" })).rejects.toThrow("full");
  for (const ticket of waiting) await expect(ticket).rejects.toThrow("late");
  release();
  (await admission.enter({ client: "b", amount: 10 }))();
});

test("refuses a ticket whose signal is aborted, and admits those behind it", async () => {
  const admission = new Admission(options);
  const release = await admission.enter({ client: "a", amount: 5 });
  const stop = new AbortController();
  const gone = admission.enter({ client: "b", amount: 10, signal: stop.signal });
  const next = admission.enter({ client: "c", amount: 5 });
  expect(await isInside(next)).toBe(false);
  stop.abort();
  await expect(gone).rejects.toThrow("aborted");
  expect(await isInside(next)).toBe(true);
  await expect(admission.enter({ signal: stop.signal })).rejects.toThrow("aborted");
  release();
});

describe("without clients", () => {
  test("admits as many as there is capacity for, and the last ones behind the others", async () => {
    const admission = new Admission({ capacity: () => 1, refuse });
    const admitted: string[] = [];
    const enter = async (name: string, isLast: boolean) => {
      const release = await admission.enter({ isLast });
      admitted.push(name);
      return release;
    };
    const entering = [
      enter("first", true),
      enter("second", true),
      enter("third", true),
      enter("back", false),
    ];
    expect(admitted).toEqual([]);
    (await entering[0])?.();
    (await entering[3])?.();
    (await entering[1])?.();
    (await entering[2])?.();
    expect(admitted).toEqual(["first", "back", "second", "third"]);
    (await admission.enter())();
  });

  test("follows a capacity that changes", async () => {
    let capacity = 0;
    const admission = new Admission({ capacity: () => capacity, refuse });
    expect(admission.tryEnter()).toBeUndefined();
    const first = admission.enter();
    expect(await isInside(first)).toBe(false);
    capacity = 1;
    admission.admit();
    expect(await isInside(first)).toBe(true);
    expect(admission.tryEnter()).toBeUndefined();
    (await first)();
    admission.tryEnter()?.();
    expect(admission.tryEnter()).toBeDefined();
  });
});
