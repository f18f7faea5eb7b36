import { afterEach, expect, test, vi } from "vitest";
import { fetchReportedBalances } from "../../../../src/api/explorer/from-node/holdings.ts";
import type { CallerChain } from "../../../../src/chain/caller-chain.ts";
import type { AskOptions } from "../../../../src/chain/options.ts";
import type { TokenBalanceQuery } from "../../../../src/chain/questions.ts";
import { CONTROL } from "../../../../src/chain/state/contract-calls.ts";
import { createUnresponsiveContracts } from "../../../../src/chain/state/unresponsive-contracts.ts";
import { ChainError } from "../../../../src/core/errors.ts";
import type { Address } from "../../../../src/core/evm/address.ts";
import type { ServedHead } from "../../../../src/store/sync-state.ts";
import { addressAt } from "../../../support/build.ts";

const HEAD = { number: 9, hash: "0x1" } as unknown as ServedHead;
const OWNER = addressAt(1);
const [ONE, TWO, THREE, FOUR] = [2, 3, 4, 5].map(addressAt) as [Address, Address, Address, Address];

type Say = (tokens: Address[], ask: AskOptions) => (bigint | null | undefined)[];

/** Questions about the tokens, one query each; `control` is the result of the call that cannot fail. */
function asker(say: Say, { known = [] as Address[], control = CONTROL.data as unknown } = {}) {
  const asked: Address[][] = [];
  const chain = {
    async fetchTokenBalances(queries: TokenBalanceQuery[], _: unknown, ask: AskOptions) {
      const tokens = queries.map(({ token }) => token);
      asked.push(tokens);
      return say(tokens, ask);
    },
    fetchCalls: async () => [control],
  } as unknown as CallerChain;
  const unresponsive = createUnresponsiveContracts(known);
  const ask = (...tokens: Address[]) =>
    fetchReportedBalances(
      { chain, unresponsive },
      tokens.map((token) => ({ token, owner: OWNER })),
      HEAD,
    );
  return { ask, asked, unresponsive };
}

function late(): never {
  throw new ChainError("timeout", "late");
}

/** Ends the time in which contracts are asked one after the other, as soon as `when` is called. */
function endTime(): () => void {
  const ended = new AbortController();
  vi.spyOn(AbortSignal, "timeout").mockReturnValue(ended.signal);
  return () => ended.abort();
}

afterEach(() => {
  vi.restoreAllMocks();
});

test("asks nobody for nothing", async () => {
  const { ask, asked } = asker(() => []);
  expect(await ask()).toEqual([]);
  expect(asked).toEqual([]);
});

test("asks several contracts at once, and none of them again", async () => {
  const { ask, asked } = asker((tokens) => tokens.map((token) => (token === ONE ? 7n : null)));
  expect(await ask(ONE, TWO)).toEqual([7n, null]);
  expect(asked).toEqual([[ONE, TWO]]);
});

test("asks a single contract once, with the time that one has alone", async () => {
  const { ask, asked } = asker((_, { answerMs }) => [BigInt(answerMs ?? 0)]);
  expect(await ask(ONE)).toEqual([3000n]);
  expect(asked).toEqual([[ONE]]);
});

test("asks alone whom the answer for several left out; it rests when it does not answer", async () => {
  const { ask, asked, unresponsive } = asker((tokens) =>
    tokens.map((token) => (token === ONE ? undefined : 5n)),
  );
  expect(await ask(ONE, TWO)).toEqual([undefined, 5n]);
  expect(asked).toEqual([[ONE, TWO], [ONE], [ONE]]);
  expect([unresponsive.rests(ONE), unresponsive.rests(TWO)]).toEqual([true, false]);
  expect(await ask(ONE, TWO)).toEqual([undefined, 5n]);
  expect(asked.slice(3)).toEqual([[TWO]]);
});

test("each is asked alone where the question about several failed", async () => {
  const { ask, unresponsive } = asker((tokens) => (tokens.length > 1 ? late() : [1n]));
  expect(await ask(ONE, TWO)).toEqual([1n, 1n]);
  expect(unresponsive.all()).toEqual(new Set());
});

test("a contract that answers after the node stalled does not rest", async () => {
  const { ask, asked, unresponsive } = asker(() => (asked.length === 1 ? late() : [4n]));
  expect(await ask(ONE)).toEqual([4n]);
  expect(unresponsive.all()).toEqual(new Set());
});

test("a contract that had failed in company is asked alone, and forgiven", async () => {
  const { ask, asked, unresponsive } = asker((tokens) => tokens.map(() => 2n));
  unresponsive.add(new Set([ONE, TWO]));
  expect(await ask(ONE, THREE, FOUR)).toEqual([2n, 2n, 2n]);
  expect(asked).toEqual([[THREE, FOUR], [ONE]]);
  expect(unresponsive.all()).toEqual(new Set([TWO]));
});

test("two queries of a contract are answered both before it counts as answering", async () => {
  const { ask, unresponsive } = asker((tokens) =>
    tokens.map((_, index) => (index ? undefined : 1n)),
  );
  expect(await ask(ONE, ONE)).toEqual([1n, undefined]);
  expect(unresponsive.rests(ONE)).toBe(true);
});

test("a node that makes no calls at all is what is in trouble", async () => {
  const { ask, unresponsive } = asker(late, { control: null });
  await expect(ask(ONE)).rejects.toMatchObject({ code: "unavailable" });
  expect(unresponsive.all()).toEqual(new Set());
});

test.each([
  new ChainError("block-replaced", "gone"),
  Object.assign(new Error(), { code: "timeout" }),
])("what no contract can bring about is thrown: %s", async (error) => {
  const { ask } = asker(() => {
    throw error;
  });
  await expect(ask(ONE)).rejects.toBe(error);
});

test("when time is up, whom the node leaves unanswered among others is left out", async () => {
  const end = endTime();
  const { ask, asked, unresponsive } = asker((tokens) => {
    end();
    return tokens.map((token) => (token === TWO ? 3n : undefined));
  });
  expect(await ask(ONE, TWO)).toEqual([undefined, 3n]);
  expect(asked).toEqual([[ONE, TWO]]);
  expect(unresponsive.all()).toEqual(new Set([ONE]));
});

test("when time is up without any answer, the node is in trouble", async () => {
  const end = endTime();
  const { ask } = asker(() => {
    end();
    return late();
  });
  await expect(ask(ONE, TWO)).rejects.toMatchObject({ code: "unavailable" });
});

test("when all are answered in time, nobody is noted", async () => {
  const { ask, unresponsive } = asker((tokens) => tokens.map(() => 1n));
  const add = vi.spyOn(unresponsive, "add");
  await ask(ONE, TWO);
  expect(add).not.toHaveBeenCalled();
});
