import { expect, test } from "vitest";
import { forCaller } from "../../src/chain/caller-chain.ts";
import type { Chain } from "../../src/chain/chain.ts";

const SILENT = new Set(["nodes", "capabilities"]);
const asker = { caller: "somebody", signal: new AbortController().signal };
/** Gives what it was asked with. */
const echo = new Proxy({} as Chain, {
  get:
    () =>
    async (...asked: unknown[]) =>
      asked,
});
const chain = forCaller(asker, echo);
const asking = Object.keys(chain).filter((name) => !SILENT.has(name)) as (keyof Chain)[];

test.each(asking)("%s is asked in the name of who asks, and until they go away", async (name) => {
  const ask = chain[name as "request"] as unknown as (...asked: unknown[]) => Promise<unknown[]>;
  const places = await Promise.all([0, 1, 2].map((count) => ask(...Array(count).fill("question"))));
  expect(places.map((asked) => asked.at(-1))).toContainEqual(asker);
});

test("a question may wait longer, yet not in another name", async () => {
  const asked = await chain.forward([], { signal: undefined, node: "node 2" });
  expect(asked).toEqual([[], { caller: "somebody", signal: undefined, node: "node 2" }]);
});
