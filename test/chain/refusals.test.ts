import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { encodeAbiParameters, encodeFunctionData, erc20Abi } from "viem";
import { describe, expect, test } from "vitest";
import type { Chain } from "../../src/chain/chain.ts";
import type { FetchedBlock } from "../../src/chain/types.ts";
import { mapLimit } from "../../src/core/async.ts";
import type { Address } from "../../src/core/evm/address.ts";
import { ScriptedChain } from "../support/scripted-node/chain.ts";
import { type Effect, type IncomingCall, lie, rpcError } from "../support/scripted-node/faults.ts";
import type { ScriptedNodeOptions } from "../support/scripted-node.ts";
import { openChain, openNode } from "../support/test-chain.ts";

// Nodes refuse methods and parameters that others have. Here a node refuses each that Periscope sends, one at a time, in the
// words of real ones. A part is a method, or one of its parameters: a name in an object, or a tag.

const REFUSALS: Readonly<Record<string, Effect>> = {
  "-32601": rpcError(-32_601, "the method does not exist/is not available"),
  "-32602": rpcError(-32_602, "Invalid params"),
  "-32000": rpcError(-32_000, "unsupported parameter"),
  "HTTP 400": { kind: "http", status: 400, body: "Bad Request" },
  null: lie(() => null),
};

/** Settings of a tracer, by its methods. */
const SETTINGS = ["timeout", "borTraceEnabled", "tracerConfig.withLog"];
const TRACERS = ["debug_traceBlockByHash", "debug_traceBlockByNumber", "debug_traceTransaction"];

/** Parts that a node may refuse, and which of the data are then missing. */
const OPTIONAL: Readonly<Record<string, "nothing" | "traces" | "uncles">> = {
  web3_clientVersion: "nothing",
  txpool_status: "nothing",
  eth_getBlockReceipts: "nothing",
  eth_getUncleByBlockNumberAndIndex: "uncles",
  "eth_getBalance blockHash": "nothing",
  "eth_getCode blockHash": "nothing",
  "eth_getStorageAt blockHash": "nothing",
  "eth_call blockHash": "nothing",
  "eth_call override.code": "nothing",
  trace_block: "traces",
  ...Object.fromEntries(
    TRACERS.flatMap((name) => [name, `${name} tracer`].map((one) => [one, "traces"])),
  ),
  ...Object.fromEntries(
    TRACERS.flatMap((name) => SETTINGS.map((one) => [`${name} ${one}`, "nothing"])),
  ),
};
/** Without these there is no index, or no state; the error names the method. */
const REQUIRED = [
  "eth_chainId",
  "eth_getBlockByNumber",
  "eth_getBlockByNumber latest",
  "eth_getBalance",
  "eth_getCode",
  "eth_getStorageAt",
  "eth_call",
  "eth_call to",
  "eth_call data",
];
/** Sent in other places, whose tests are named. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  eth_subscribe: "heads/heads.test.ts",
  eth_subscription: "heads/heads.test.ts",
  eth_sendRawTransaction: "rpc/rpc-client.test.ts",
  eth_getTransactionReceipt: "blocks/blocks.test.ts",
  eth_capabilities: "../indexer/expired-history.test.ts",
  debug_traceCall: "../verification/jobs",
  eth_getTransactionByBlockHashAndIndex: "../verification/jobs",
  eth_getTransactionCount: "../verification/jobs",
  eth_getBlockByHash: "../api/refusals.test.ts",
  eth_feeHistory: "../api/refusals.test.ts",
  eth_maxPriorityFeePerGas: "../api/refusals.test.ts",
  eth_getTransactionByHash: "../api/refusals.test.ts",
  txpool_content: "../api/refusals.test.ts",
};

/** Nodes that together are asked everything. */
const NODES: Readonly<Record<string, ScriptedNodeOptions>> = {
  "with everything": {},
  "without debug_traceBlockByHash": { without: ["debug_traceBlockByHash"] },
  "with trace_ alone": { without: ["debug_"] },
  "with debug_traceTransaction alone": {
    without: ["debug_traceBlockByHash", "debug_traceBlockByNumber", "trace_"],
  },
};

const TOKENS = [1, 2, 3].map((last): Address => `0x${"7".repeat(39)}${last}`);
const [TOKEN] = TOKENS as [Address];
const OWNER: Address = `0x${"a".repeat(40)}`;
const word = (value: bigint) => encodeAbiParameters([{ type: "uint256" }], [value]);
const balanceOf = encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [OWNER] });

function mineOn(chain: ScriptedChain): void {
  chain.mine(
    {
      transactions: [
        { valueWei: 1n, output: "0x", calls: [{ from: OWNER, to: TOKEN, output: "0x" }] },
        { valueWei: 3n, output: "0x", logs: [{ address: TOKEN }] },
      ],
      state: {
        code: Object.fromEntries(TOKENS.map((token) => [token, "0x6001"])),
        calls: TOKENS.map((to, index) => ({ to, data: balanceOf, returns: word(BigInt(index)) })),
        storage: [{ address: OWNER, slot: word(0n), value: word(9n) }],
      },
    },
    1,
    { uncles: [{ miner: OWNER, distance: 1 }] },
    { transactions: [{ valueWei: 4n, output: "0x" }] },
  );
}

/** Returns all that an indexer reads of a chain, whose newest blocks are those of `mineOn`. */
async function readAll(chain: Chain) {
  const head = await chain.fetchHead();
  const numbers = [3, 2, 1, 0].map((below) => head.number - below);
  const blocks: (FetchedBlock | null)[] = [];
  while (blocks.length < numbers.length) {
    blocks.push(...(await chain.fetchBlocks(numbers.slice(blocks.length))).blocks);
  }
  const holdings = [...TOKENS, OWNER].map((token) => ({ token, owner: OWNER }));
  return {
    head,
    blocks,
    header: await chain.fetchHeader(head.number - 1),
    coins: await chain.fetchCoinBalances([OWNER], head),
    codes: await chain.fetchCodes([TOKEN, OWNER], head),
    storage: await chain.fetchStorage([{ address: OWNER, slot: word(0n) }], head),
    inGroup: await chain.fetchTokenBalances(holdings, head),
    alone: await chain.fetchTokenBalances(holdings.slice(0, 1), head),
  };
}

function partsOf({ method, params }: IncomingCall): string[] {
  const names = (value: unknown): string[] => {
    if (typeof value === "string" && /^[a-z]+$/i.test(value)) return [value];
    if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
    return Object.entries(value).flatMap(([key, inner]) => {
      const name = key.length === 42 ? "override" : key;
      const deeper = typeof inner === "object" ? names(inner) : [];
      return deeper.length > 0 ? deeper.map((one) => `${name}.${one}`) : [name];
    });
  };
  return [method, ...params.flatMap(names).map((name) => `${method} ${name}`)];
}

async function open(options: ScriptedNodeOptions | undefined) {
  const chain = new ScriptedChain();
  mineOn(chain);
  const node = await openNode({ ...options, chain, overrides: true });
  const refuse = (part: string, effect: Effect) =>
    node.fail({ effect, when: (call) => partsOf(call).includes(part) });
  return { node, refuse, ...openChain([node]) };
}

type Whole = Awaited<ReturnType<typeof readAll>>;

function without(lost: "nothing" | "traces" | "uncles", whole: Whole): Whole {
  const without = { nothing: {}, traces: { traces: null }, uncles: { uncles: [] } }[lost];
  const isLost = (block: FetchedBlock | null) => lost !== "uncles" || block?.uncles !== undefined;
  return {
    ...whole,
    blocks: whole.blocks.map((one) => one && (isLost(one) ? { ...one, ...without } : one)),
  };
}

/** Returns the parts of all calls to such a node, except of methods that it lacks. */
async function listSent(options: ScriptedNodeOptions): Promise<string[]> {
  const { node, chain } = await open(options);
  await chain.probe();
  await readAll(chain);
  const { without = [] } = options;
  const isThere = ({ method }: IncomingCall) => !without.some((one) => method.startsWith(one));
  return [...new Set(node.requests.flat().filter(isThere).flatMap(partsOf))];
}

test("every part that is sent has a row, and every row is sent", async () => {
  const sent = (await Promise.all(Object.values(NODES).map(listSent))).flat();
  expect([...new Set(sent)].sort()).toEqual([...Object.keys(OPTIONAL), ...REQUIRED].sort());
});

test("every method that the source names has a row, or is tried elsewhere", () => {
  const src = path.join(import.meta.dirname, "../../src");
  const files = readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.startsWith("devnet"))
    .map((file) => [file, readFileSync(path.join(src, file), "utf8")] as const);
  const named = files.flatMap(([file, text]) => {
    const isOwn = /^(?:chain|indexer|verification)\//.test(file);
    const pattern = isOwn
      ? /"((?:eth|debug|trace|txpool|web3|net)_[A-Za-z]+)"/g
      : /(?:\.request\(|askOnce\([^"()]*)\s*"(\w+)"/g;
    return [...text.matchAll(pattern)].map(([, name]) => name as string);
  });
  expect(named).toContain("eth_feeHistory");
  const known = [...Object.keys(OPTIONAL), ...REQUIRED, ...Object.keys(ELSEWHERE)];
  const unknown = new Set(
    named.filter((name) => !known.includes(name) && name !== "trace_address"),
  );
  expect([...unknown]).toEqual([]);
});

describe.each(Object.entries(NODES))("a node %s", (_, options) => {
  test("that refuses any one part of what it is asked gives the same, or says what is missing", async () => {
    const whole = await readAll((await open(options)).chain);
    const parts = (await listSent(options)).filter((part) => part in OPTIONAL);
    const tried = parts.flatMap((part) =>
      Object.entries(REFUSALS).map(([words, effect]) => ({ part, words, effect })),
    );
    const found = await mapLimit(tried, 60, async ({ part, words, effect }) => {
      const { chain, refuse } = await open(options);
      refuse(part, effect);
      await chain.probe();
      const answers = await readAll(chain);
      const { tracer, tracerReason } = chain.capabilities();
      const lost = OPTIONAL[part] === "traces" && tracer !== null ? "nothing" : OPTIONAL[part];
      expect(answers, `${part} refused by ${words}`).toEqual(without(lost ?? "nothing", whole));
      expect(tracerReason === null, `${part} refused by ${words}`).toBe(tracer !== null);
      return `${part}: ${tracer}`;
    });
    expect(found.length).toBeGreaterThan(4);
  });
});

test("without a required part the error names the method, and no answer is made up", async () => {
  const whole = await readAll((await open({})).chain);
  const tried = REQUIRED.flatMap((part) =>
    Object.entries(REFUSALS).map(([words, effect]) => ({ part, words, effect })),
  );
  await mapLimit(tried, 60, async ({ part, words, effect }) => {
    const { chain, refuse } = await open({});
    refuse(part, effect);
    const read = chain.probe().then(() => readAll(chain));
    await expect(read, `${part} refused by ${words}`).rejects.toMatchObject({
      message: expect.stringMatching(words === "null" ? /no answer of|found|not/ : /eth_/),
    });
  });
  expect(whole.coins).toEqual([0n]);
});

test.each(["http", "bad-request", "geth", "reth"] as const)(
  "a node that refuses batches by %s gives the same",
  async (refusal) => {
    const whole = await readAll((await open({})).chain);
    const { chain } = await open({ limits: { batch: 1, refusal } });
    await chain.probe();
    expect(await readAll(chain)).toEqual(whole);
  },
);

test("a node that comes to refuse a part goes on to give the same", async () => {
  const words = ["-32601", "-32602", "HTTP 400"];
  const parts = (await listSent({})).filter((part) => part in OPTIONAL);
  const tried = parts.flatMap((part) => words.map((one) => ({ part, words: one })));
  await mapLimit(tried, 60, async ({ part, words }) => {
    const { node, chain, refuse } = await open({});
    await chain.probe();
    await readAll(chain);
    mineOn(node.chain);
    const whole = await readAll(chain);
    refuse(part, REFUSALS[words] as Effect);
    const lost = OPTIONAL[part] === "uncles" ? "uncles" : "nothing";
    expect(await readAll(chain), `${part} refused by ${words}`).toEqual(without(lost, whole));
  });
});
