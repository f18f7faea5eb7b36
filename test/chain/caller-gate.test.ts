import { describe, expect, test } from "vitest";
import { CallerGate } from "../../src/chain/caller-gate.ts";
import { AdaptiveLimit } from "../../src/chain/limits.ts";

const never = new AbortController().signal;

describe("CallerGate", () => {
  test("has half of the places, and half of those for one caller", async () => {
    const gate = new CallerGate(new AdaptiveLimit(8));
    const entered: string[] = [];
    const enter = (caller: string) =>
      gate.enter(caller, never).then((leave) => {
        entered.push(caller);
        return leave;
      });
    const [first, , third] = [enter("a"), enter("a"), enter("a")];
    const others = [enter("b"), enter("c"), enter("d")];
    const leaveFirst = await first;
    const leaveB = await others[0];
    await others[1];
    expect(entered).toEqual(["a", "a", "b", "c"]);
    leaveB?.();
    await others[2];
    expect(entered.at(-1)).toBe("d");
    leaveFirst?.();
    await third;
    expect(entered.at(-1)).toBe("a");
  });

  test("has one place where the node has one", async () => {
    const gate = new CallerGate(new AdaptiveLimit(1));
    const leave = await gate.enter("a", never);
    const next = gate.enter("b", never);
    leave();
    await next;
  });

  test("refuses at once a caller that has too many waiting, and everybody when all have", async () => {
    const gate = new CallerGate(new AdaptiveLimit(8));
    const stop = new AbortController();
    const waiting: Promise<unknown>[] = [];
    const fill = (caller: string, count: number) => {
      for (let one = 0; one < count; one++) {
        waiting.push(gate.enter(caller, stop.signal).catch(() => undefined));
      }
    };
    fill("a", 2 + 32);
    await expect(gate.enter("a", never)).rejects.toMatchObject({ code: "busy" });
    await gate.enter("b", never);
    fill("b", 1 + 32);
    fill("c", 32);
    fill("d", 32);
    await expect(gate.enter("e", never)).rejects.toMatchObject({ code: "busy" });
    stop.abort();
    await Promise.all(waiting);
  });

  test("drops who gives up waiting", async () => {
    const gate = new CallerGate(new AdaptiveLimit(2));
    const leave = await gate.enter("a", never);
    const impatient = new AbortController();
    const waiting = gate.enter("a", impatient.signal);
    const next = gate.enter("a", never);
    impatient.abort();
    await expect(waiting).rejects.toMatchObject({ code: "aborted" });
    leave();
    await next;
    await expect(gate.enter("a", AbortSignal.abort())).rejects.toMatchObject({ code: "aborted" });
  });
});
