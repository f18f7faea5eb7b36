import { stringToHex } from "viem";
import { describe, expect, test } from "vitest";
import { NodeError } from "../../../src/chain/errors/errors.ts";
import { LARGEST_GROUP } from "../../../src/chain/state/contract-calls.ts";
import { wordOfAddress, ZERO_ADDRESS } from "../../../src/core/evm/address.ts";
import { type Hex, hexConcat } from "../../../src/core/evm/hex.ts";
import { scriptedAddress } from "../../support/scripted-node/block.ts";
import { ScriptedChain } from "../../support/scripted-node/chain.ts";
import {
  type Effect,
  html,
  type IncomingCall,
  lie,
  rpcError,
} from "../../support/scripted-node/faults.ts";
import { TRANSFER, TRANSFER_SINGLE, word } from "../../support/scripted-node/ledger.ts";
import type { ScriptedNode } from "../../support/scripted-node.ts";
import { openChain, openNode } from "../../support/test-chain.ts";

const token = scriptedAddress("token");
const multiToken = scriptedAddress("multi token");
const odd = scriptedAddress("odd token");
const [alice, bob] = [scriptedAddress("alice"), scriptedAddress("bob")];

const NAME: Hex = "0x06fdde03";
const SYMBOL: Hex = "0x95d89b41";
const DECIMALS: Hex = "0x313ce567";

function mintTo(owner: typeof alice, amount: bigint) {
  const topics = [TRANSFER, wordOfAddress(ZERO_ADDRESS), wordOfAddress(owner)];
  return { to: token, logs: [{ address: token, topics, data: word(amount) }] };
}

/** Block 1 mints, block 2 mints again and describes the contracts. */
function grow(chain: ScriptedChain): void {
  chain.mine(
    { transactions: [mintTo(alice, 5n)], state: { balances: { [alice]: 1000n } } },
    {
      transactions: [
        mintTo(alice, 10n),
        {
          logs: [
            {
              address: multiToken,
              topics: [TRANSFER_SINGLE, word(0), wordOfAddress(ZERO_ADDRESS), wordOfAddress(bob)],
              data: hexConcat(word(77), word(3)),
            },
          ],
        },
      ],
      state: {
        code: { [token]: "0x01", [multiToken]: "0x02", [odd]: "0x03" },
        storage: [{ address: token, slot: word(1), value: word(9) }],
        calls: [
          { to: token, data: NAME, returns: hexConcat(word(32), word(4), stringToHex("Coin")) },
          { to: token, data: SYMBOL, returns: `0x434f4e${"0".repeat(58)}` },
          { to: token, data: DECIMALS, returns: word(18) },
          { to: odd, data: SYMBOL, returns: "0x1234" },
          { to: odd, data: DECIMALS, returns: word(1000) },
        ],
      },
    },
  );
}

function reference(chain: ScriptedChain, number: number) {
  const hash = chain.at(number)?.block.hash;
  if (!hash) throw new RangeError(`no block ${number}`);
  return { number, hash };
}

const WAYS: readonly [name: string, behaviour: Parameters<typeof openNode>[0]][] = [
  ["by block hash", {}],
  ["by block hash in groups", { overrides: true }],
  ["by number where a hash is refused", { stateByHash: false }],
  ["of anvil", { clientVersion: "anvil/v1.7.1" }],
];

describe.each(WAYS)("state %s", (_, behaviour) => {
  async function open() {
    const node = await openNode(behaviour);
    grow(node.chain);
    return { node, ...openChain([node]) };
  }

  test("is that of the block asked for, not of the head", async () => {
    const { node, chain } = await open();
    const [one, two] = [reference(node.chain, 1), reference(node.chain, 2)];
    expect(await chain.fetchCoinBalances([alice, bob], one)).toEqual([1000n, 0n]);
    const query = [{ token, owner: alice }];
    expect(await chain.fetchTokenBalances(query, one)).toEqual([5n]);
    expect(await chain.fetchTokenBalances(query, two)).toEqual([15n]);
    expect(await chain.fetchCodes([token, alice], one)).toEqual(["0x", "0x"]);
    expect(await chain.fetchCodes([token, alice], two)).toEqual(["0x01", "0x"]);
    expect(await chain.fetchStorage([{ address: token, slot: word(1) }], two)).toEqual([word(9)]);
    expect(await chain.fetchTotalSupplies([token], two)).toEqual([15n]);
  });

  test("has null for what a contract does not answer, and 0 for what has no code", async () => {
    const { node, chain } = await open();
    const queries = [
      { token, owner: alice },
      { token: odd, owner: alice },
      { token: alice, owner: alice },
      { token: multiToken, owner: bob, id: 77n },
      { token: multiToken, owner: bob, id: 78n },
    ];
    const balances = await chain.fetchTokenBalances(queries, reference(node.chain, 2));
    expect(balances).toEqual([15n, null, 0n, 3n, 0n]);
  });

  test("describes tokens, also odd ones", async () => {
    const { node, chain } = await open();
    const tokens = [token, odd, alice];
    expect(await chain.fetchTokenMetadata(tokens, reference(node.chain, 2))).toMatchObject([
      {
        name: "Coin",
        symbol: "CON",
        decimals: 18,
      },
      { name: null, symbol: null, decimals: null },
      { name: null, symbol: null, decimals: null },
    ]);
  });

  test("is asked of nobody when nothing is asked", async () => {
    const { node, chain } = await open();
    expect(await chain.fetchTokenBalances([], reference(node.chain, 2))).toEqual([]);
  });
});

describe("state that cannot be had", () => {
  async function open(behaviour: Parameters<typeof openNode>[0] = {}) {
    const node = await openNode(behaviour);
    grow(node.chain);
    node.chain.mine(20);
    return { node, ...openChain([node]) };
  }

  test("because it is pruned is told apart and not retried", async () => {
    const { node, chain } = await open({ statesKept: 10 });
    const one = reference(node.chain, 1);
    const pruned = { code: "state-unavailable", retryable: false };
    await expect(chain.fetchCoinBalances([alice], one)).rejects.toMatchObject(pruned);
    expect(node.count("eth_getBalance")).toBe(2);
    await expect(chain.fetchTokenBalances([{ token, owner: alice }], one)).rejects.toMatchObject(
      pruned,
    );
  });

  test("because it is pruned is asked of a node that keeps more", async () => {
    const shared = new ScriptedChain();
    grow(shared);
    shared.mine(20);
    const pruned = await openNode({ chain: shared, statesKept: 10 });
    const archive = await openNode({ chain: shared });
    const { chain } = openChain([pruned, archive]);
    expect(await chain.fetchCoinBalances([alice], reference(shared, 1))).toEqual([1000n]);
  });

  test("because no node knows the block is retryable", async () => {
    const { node, chain } = await open();
    const unknown = { number: 2, hash: word(1) };
    await expect(chain.fetchCoinBalances([alice], unknown)).rejects.toMatchObject({
      code: "block-unknown",
      retryable: true,
    });
    expect(node.count("eth_getBalance")).toBeGreaterThan(2);
  });

  test("because the block was replaced is told apart where only numbers are understood", async () => {
    const { node, chain } = await open({ stateByHash: false });
    const before = reference(node.chain, 22);
    node.chain.reorg(1);
    await expect(chain.fetchCoinBalances([alice], before)).rejects.toMatchObject({
      code: "block-replaced",
      retryable: false,
    });
    await expect(chain.fetchCoinBalances([alice], { ...before, number: 23 })).rejects.toMatchObject(
      {
        code: "block-unknown",
      },
    );
  });

  test("of a replaced block is still right where hashes are understood", async () => {
    const { node, chain } = await open();
    node.chain.mine({ state: { balances: { [bob]: 8n } } });
    const before = reference(node.chain, 23);
    node.chain.reorg(1);
    expect(await chain.fetchCoinBalances([bob], before)).toEqual([8n]);
  });

  test.each(["many", `0x1${"0".repeat(64)}`])(
    "because the node answers %s is retryable",
    async (nonsense) => {
      const { node, chain } = await open();
      node.fail({ method: "eth_getBalance", effect: lie(() => nonsense) });
      await expect(
        chain.fetchCoinBalances([alice], reference(node.chain, 2)),
      ).rejects.toMatchObject({
        code: "bad-answer",
        retryable: true,
      });
    },
  );
});

describe("a contract call that fails", () => {
  const callsNull = async (effect: Effect, when?: (node: ScriptedNode) => boolean) => {
    const node = await openNode();
    grow(node.chain);
    const { chain } = openChain([node]);
    node.fail({
      method: "eth_call",
      when: ({ params }) => (params[0] as { to: string }).to === odd && (when?.(node) ?? true),
      effect,
    });
    const calls = [odd, token].map((to) => ({ to, data: DECIMALS }));
    return chain.fetchCalls(calls, reference(node.chain, 2));
  };

  test.each([
    ["reverts", rpcError(3, "execution reverted")],
    ["runs out of gas", rpcError(-32000, "out of gas")],
    ["returns more than the node gives", rpcError(-32008, "Response is too big")],
  ])("is null when it %s, and the others are not", async (_, effect) => {
    expect(await callsNull(effect)).toEqual([null, word(18)]);
  });

  test.each([
    ["runs out of the node's time", rpcError(-32000, "execution aborted (timeout = 5s)")],
    ["fails in words that nobody knows", rpcError(-32000, "contract is on fire")],
    ["fails as an internal error", rpcError(-32603, "Internal error")],
    ["is limited", rpcError(-32007, "50/second request limit reached")],
  ])("is left unanswered when it %s, and the others are not", async (_, effect) => {
    const node = await openNode();
    grow(node.chain);
    const { chain } = openChain([node]);
    const isOdd = ({ params }: IncomingCall) => (params[0] as { to: string }).to === odd;
    node.fail({ method: "eth_call", when: isOdd, effect });
    const block = reference(node.chain, 2);
    const calls = [odd, token].map((to) => ({ to, data: DECIMALS }));
    const [supplies, metadata, failure] = await Promise.all([
      chain.fetchTotalSupplies([odd, token], block),
      chain.fetchTokenMetadata([token, odd], block),
      chain.fetchCalls(calls, block).catch((error: unknown) => error),
    ]);
    expect(supplies).toEqual([undefined, 15n]);
    expect(metadata).toMatchObject([{ decimals: 18 }, undefined]);
    expect(failure).toBeInstanceOf(NodeError);
  });

  test("is left unanswered when it returns no bytes", async () => {
    const node = await openNode();
    grow(node.chain);
    const { chain } = openChain([node]);
    node.fail({ method: "eth_call", effect: lie((right) => (right === word(18) ? {} : right)) });
    const read = chain.fetchTokenMetadata([token, alice], reference(node.chain, 2));
    expect(await read).toMatchObject([undefined, { name: null, symbol: null, decimals: null }]);
  });

  test("is not believed when the node makes no other call either", async () => {
    const node = await openNode();
    grow(node.chain);
    const { chain } = openChain([node]);
    node.fail({ method: "eth_call", effect: rpcError(-32011, "no backends available for method") });
    const read = chain.fetchTotalSupplies([odd], reference(node.chain, 2));
    await expect(read).rejects.toMatchObject({ code: "unavailable", retryable: true });
  });

  test("is not believed when the node is in trouble", async () => {
    const node = await openNode();
    grow(node.chain);
    const { chain } = openChain([node]);
    await chain.probe();
    node.fail({ method: "eth_call", effect: html(502) });
    const calls = [{ to: odd, data: DECIMALS }];
    await expect(chain.fetchCalls(calls, reference(node.chain, 2))).rejects.toMatchObject({
      code: "unavailable",
      retryable: true,
    });
  });
});

describe("a group of calls", () => {
  const queries = Array.from({ length: 600 }, (_, index) => ({
    token,
    owner: index === 7 ? alice : scriptedAddress(`owner ${index}`),
  }));
  const expected = queries.map(({ owner }) => (owner === alice ? 15n : 0n));

  async function open(behaviour: Parameters<typeof openNode>[0] = { overrides: true }) {
    const node = await openNode(behaviour);
    grow(node.chain);
    return { node, ...openChain([node]) };
  }

  test("answers hundreds of calls in one round trip", async () => {
    const { node, chain } = await open();
    expect(await chain.fetchTokenBalances(queries, reference(node.chain, 2))).toEqual(expected);
    expect(node.count("eth_call")).toBe(1 + Math.ceil(queries.length / LARGEST_GROUP));
  });

  test("is not tried each time where the node does not understand it", async () => {
    const { node, chain } = await open({});
    for (let i = 0; i < 3; i++) {
      expect(await chain.fetchTokenBalances(queries, reference(node.chain, 2))).toEqual(expected);
    }
    // It may refuse the block's hash: it is asked by number, too.
    expect(node.count("eth_call")).toBe(2 + 1800);
  });

  test.each([
    ["runs out of gas", rpcError(-32000, "out of gas")],
    ["answers too much", rpcError(-32008, "Response is too big")],
  ])("is asked for less when it %s", async (_, effect) => {
    const { node, chain } = await open();
    const large = ({ params }: { params: readonly unknown[] }) =>
      (params[0] as { data: string }).data.length > 20_000;
    node.fail({ method: "eth_call", when: large, effect });
    expect(await chain.fetchTokenBalances(queries, reference(node.chain, 2))).toEqual(expected);
    expect(node.count("eth_call")).toBeLessThan(60);
  });

  test("is not believed about a call that failed behind others", async () => {
    const { node, chain } = await open();
    const gasEater = { to: odd, data: "0xdeadbeef" as Hex };
    const call = { to: token, data: DECIMALS };
    const calls = [gasEater, call, call, call, call];
    expect(await chain.fetchCalls(calls, reference(node.chain, 2))).toEqual([
      null,
      ...Array(4).fill(word(18)),
    ]);
    expect(
      node.requests.flat().filter(({ params }) => (params[0] as { to?: string })?.to === odd),
    ).toHaveLength(1);
  });

  test.each([
    ["passes over the code", lie(() => "0x")],
    ["finds other code there", rpcError(3, "execution reverted")],
    ["answers nonsense", lie(() => word(1))],
    ["answers nothing", lie(() => null)],
  ])("is done without when the node %s", async (_, effect) => {
    const { node, chain } = await open();
    node.fail({ method: "eth_call", when: ({ params }) => params.length === 3, effect });
    expect(await chain.fetchTokenBalances(queries, reference(node.chain, 2))).toEqual(expected);
  });
});

describe("anvil", () => {
  test("is read again when its head moved meanwhile", async () => {
    const node = await openNode({ clientVersion: "anvil/v1.7.1" });
    grow(node.chain);
    const { chain } = openChain([node]);
    let moves = 0;
    node.fail({
      method: "eth_getBalance",
      effect: lie((right) => {
        if (moves++ >= 3) return right;
        node.chain.mine(1);
        return "0x999";
      }),
    });
    expect(await chain.fetchCoinBalances([alice], reference(node.chain, 1))).toEqual([1000n]);
    expect(node.count("eth_getBalance")).toBeGreaterThanOrEqual(4);
  });

  test("is given up when its head never stands still", async () => {
    const node = await openNode({ clientVersion: "anvil/v1.7.1" });
    grow(node.chain);
    const { chain } = openChain([node]);
    const moving = lie((right) => {
      node.chain.mine(1);
      return right;
    });
    node.fail({ method: "eth_getBalance", effect: moving });
    await expect(chain.fetchCoinBalances([alice], reference(node.chain, 1))).rejects.toMatchObject({
      code: "head-moved",
      retryable: true,
    });
  });
});
