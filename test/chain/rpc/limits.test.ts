import { describe, expect, test } from "vitest";
import { AdaptiveLimit, Gate } from "../../../src/chain/rpc/limits.ts";

const never = new AbortController().signal;

describe("AdaptiveLimit", () => {
  test("starts at the maximum, halves down to 1 and grows back step by step", () => {
    const limit = new AdaptiveLimit(10);
    expect(limit.value).toBe(10);
    for (const expected of [5, 2, 1, 1]) {
      limit.shrink(performance.now());
      expect(limit.value).toBe(expected);
    }
    for (let i = 0; i < 20; i++) limit.grow(1);
    expect(limit.value).toBe(10);
  });

  test("halves once for requests that were in flight together", () => {
    const limit = new AdaptiveLimit(8);
    const startedAt = performance.now();
    limit.shrink(startedAt);
    limit.shrink(startedAt - 1);
    expect(limit.value).toBe(4);
  });
});

describe("Gate", () => {
  test("lets in as many as the limit allows and the next ones in their order", async () => {
    const gate = new Gate(new AdaptiveLimit(2));
    const entered: number[] = [];
    const all = [1, 2, 3, 4].map((number) =>
      gate.enter(never).then((release) => {
        entered.push(number);
        return release;
      }),
    );
    await Promise.all(all.slice(0, 2));
    expect(entered).toEqual([1, 2]);
    (await all[0])?.();
    await all[2];
    expect(entered).toEqual([1, 2, 3]);
    (await all[1])?.();
    await all[3];
    expect(entered).toEqual([1, 2, 3, 4]);
  });

  test("lets nobody in while it is closed, and everybody afterwards", async () => {
    const gate = new Gate(new AdaptiveLimit(2));
    gate.closeFor(10);
    gate.closeFor(30);
    expect(gate.closed).toBe(true);
    expect(gate.tryEnter()).toBeUndefined();
    await Promise.all([gate.enter(never), gate.enter(never)]);
    expect(gate.closed).toBe(false);
  });

  test("drops who gives up waiting", async () => {
    const gate = new Gate(new AdaptiveLimit(1));
    const release = await gate.enter(never);
    const impatient = new AbortController();
    const waiting = gate.enter(impatient.signal);
    const next = gate.enter(never);
    impatient.abort();
    await expect(waiting).rejects.toMatchObject({ code: "aborted" });
    release();
    await next;
    await expect(gate.enter(AbortSignal.abort())).rejects.toMatchObject({ code: "aborted" });
  });

  test("turns away who comes to a full queue", async () => {
    const gate = new Gate(new AdaptiveLimit(1));
    const stop = new AbortController();
    await gate.enter(never);
    const waiting = Array.from({ length: 10_000 }, () => gate.enter(stop.signal));
    await expect(gate.enter(never)).rejects.toMatchObject({ code: "busy", retryable: true });
    stop.abort();
    const ends = await Promise.allSettled(waiting);
    expect(ends.every(({ status }) => status === "rejected")).toBe(true);
  });
});

describe("Gate, for callers", () => {
  test("has half of the places, and half of those for one caller", async () => {
    const gate = new Gate(new AdaptiveLimit(8));
    const entered: string[] = [];
    const enter = (caller: string) =>
      gate.enter(never, caller).then((release) => {
        entered.push(caller);
        return release;
      });
    const [first, second, third] = [enter("a"), enter("a"), enter("a")];
    const others = [enter("b"), enter("c"), enter("d")];
    await Promise.all([first, others[0], others[1]]);
    expect(entered).toEqual(["a", "a", "b", "c"]);
    (await others[0])?.();
    await others[2];
    expect(entered.at(-1)).toBe("d");
    (await second)();
    await third;
    expect(entered.at(-1)).toBe("a");
    await Promise.all([1, 2, 3, 4].map(() => gate.enter(never)));
  });

  test("lets the whole questions of a caller in before the parts of its large ones", async () => {
    const gate = new Gate(new AdaptiveLimit(4));
    const entered: string[] = [];
    const enter = (name: string, caller: string, isPart: boolean) =>
      gate.enter(never, caller, isPart).then((release) => {
        entered.push(name);
        release();
      });
    const all = [
      enter("list of a", "a", true),
      enter("rest of it", "a", true),
      enter("balance of a", "a", false),
      enter("list of b", "b", true),
    ];
    await Promise.all(all);
    expect(entered).toEqual(["list of a", "list of b", "balance of a", "rest of it"]);
  });

  test("has one place where the node has one", async () => {
    const gate = new Gate(new AdaptiveLimit(1));
    const release = await gate.enter(never, "a");
    const next = gate.enter(never, "b");
    release();
    await next;
  });

  test("refuses at once a caller that has too many waiting, and everybody when all have", async () => {
    const gate = new Gate(new AdaptiveLimit(8));
    const stop = new AbortController();
    const waiting: Promise<unknown>[] = [];
    const fill = (caller: string, count: number) => {
      for (let one = 0; one < count; one++) {
        waiting.push(gate.enter(stop.signal, caller).catch(() => undefined));
      }
    };
    fill("a", 2 + 32);
    await expect(gate.enter(never, "a")).rejects.toMatchObject({ code: "busy" });
    await gate.enter(never, "b");
    fill("b", 1 + 32);
    fill("c", 32);
    fill("d", 32);
    await expect(gate.enter(never, "e")).rejects.toMatchObject({ code: "busy" });
    stop.abort();
    await Promise.all(waiting);
  });

  test("drops who gives up waiting", async () => {
    const gate = new Gate(new AdaptiveLimit(2));
    const release = await gate.enter(never, "a");
    const impatient = new AbortController();
    const waiting = gate.enter(impatient.signal, "a");
    const next = gate.enter(never, "a");
    impatient.abort();
    await expect(waiting).rejects.toMatchObject({ code: "aborted" });
    release();
    await next;
    await expect(gate.enter(AbortSignal.abort(), "a")).rejects.toMatchObject({ code: "aborted" });
  });
});
