import { expect, test } from "vitest";
import { createRoom } from "../../../src/api/http/room.ts";

const LONG_MS = 60_000;
const options = { size: 10, share: 1, waiting: 3, patienceMs: LONG_MS, busy: "busy" };

/** Whether it was admitted by now. */
async function isInside({ admitted }: { admitted: Promise<void> }): Promise<boolean> {
  const now = new Promise<false>((resolve) => setImmediate(resolve, false));
  return Promise.race([admitted.then(() => true), now]);
}

test("admits what there is room for, and the others in their order", async () => {
  const room = createRoom(options);
  const first = room.enter("a", 6);
  const second = room.enter("b", 5);
  // Small enough, but behind one that waits for room.
  const third = room.enter("c", 1);
  expect(await Promise.all([first, second, third].map(isInside))).toEqual([true, false, false]);
  first.leave();
  expect(await Promise.all([second, third].map(isInside))).toEqual([true, true]);
});

test("admits one of a client at a time, who keeps nobody else waiting", async () => {
  const room = createRoom(options);
  const first = room.enter("a", 1);
  const second = room.enter("a", 1);
  const other = room.enter("b", 1);
  expect(await Promise.all([first, second, other].map(isInside))).toEqual([true, false, true]);
  first.leave();
  first.leave();
  expect(await isInside(second)).toBe(true);
});

test("admits as many of a client as its share has", async () => {
  const room = createRoom({ ...options, share: 2 });
  const places = [1, 1, 1].map((amount) => room.enter("a", amount));
  const other = room.enter("b", 1);
  expect(await Promise.all([...places, other].map(isInside))).toEqual([true, true, false, true]);
  places[1]?.leave();
  expect(await Promise.all(places.map(isInside))).toEqual([true, true, true]);
});

test("refuses with words when the line is too long, or does not move", async () => {
  const room = createRoom({ ...options, patienceMs: 20 });
  const inside = room.enter("a", 10);
  const line = ["b", "c", "d"].map((client) => room.enter(client, 1));
  const busy = { message: "busy", httpStatus: 503, retryAfterSeconds: 5 };
  await expect(room.enter("e", 1).admitted).rejects.toMatchObject(busy);
  for (const place of line) await expect(place.admitted).rejects.toMatchObject(busy);
  inside.leave();
  const next = room.enter("b", 10);
  await next.admitted;
  next.leave();
});

test("someone who leaves the line is not admitted", async () => {
  const room = createRoom(options);
  const first = room.enter("a", 10);
  const gone = room.enter("b", 10);
  const next = room.enter("c", 10);
  gone.leave();
  first.leave();
  expect(await isInside(next)).toBe(true);
  next.leave();
});
