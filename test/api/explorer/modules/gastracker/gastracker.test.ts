import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { createTestApp, type TestApp } from "../../../../support/app.ts";
import { expectGolden } from "../../../../support/golden.ts";
import { startTestIndexer } from "../../../../support/indexer.ts";
import { type ScriptedNode, startScriptedNode } from "../../../../support/scripted-node.ts";

const GWEI = 10n ** 9n;

let node: ScriptedNode;
let api: TestApp;

beforeEach(async () => {
  node = await startScriptedNode();
  api = await createTestApp({ nodeUrl: node.url });
});

afterEach(async () => {
  await api?.close();
  await node?.stop();
});

/** Compares the answer with the recorded one. */
async function expectRecorded(name: string, action: string): Promise<void> {
  await expectGolden(
    api.app,
    `gastracker/${name}.etherscan`,
    `/v2/api?module=gastracker&${action}`,
  );
}

/** Fills the index up to the node's head, where it stays. */
async function serve(): Promise<void> {
  const databaseUrl = new URL(inject("postgresUrl"));
  databaseUrl.pathname = api.sql.options.database;
  const indexer = startTestIndexer({ databaseUrl: databaseUrl.href, rpcUrls: [node.url] });
  await indexer.reach(node.chain.head.block.hash).finally(() => indexer.stop());
}

async function ask(action: string): Promise<unknown> {
  const response = await api.app.inject(`/v2/api?module=gastracker&action=${action}`);
  return response.json().result;
}

describe("a chain without a base fee", () => {
  it("has percentiles of the prices themselves, weighted by gas", async () => {
    // Among 100 parts of gas 9 cost 1 Gwei, 40 cost 2, 40 cost 3.5, 11 cost 7.
    const sold = [
      [1n * GWEI, 90_000],
      [2n * GWEI, 400_000],
      [(7n * GWEI) / 2n, 400_000],
      [7n * GWEI, 110_000],
    ] as const;
    node.chain.reset({ baseFeeWei: null });
    node.chain.mine(
      // The chain's own transactions cost nothing and do not count.
      { baseFeeWei: null, transactions: [{ effectiveGasPriceWei: 0n, gasUsed: 5_000_000 }] },
      ...sold.map(([effectiveGasPriceWei, gasUsed]) => ({
        baseFeeWei: null,
        transactions: [{ type: 0, effectiveGasPriceWei, gasUsed }],
      })),
    );
    await serve();
    expect(await ask("gasoracle")).toEqual({
      LastBlock: "5",
      SafeGasPrice: "2",
      ProposeGasPrice: "3.5",
      FastGasPrice: "7",
      suggestBaseFee: "0",
      // With a limit of 30 million.
      gasUsedRatio: "0.166666666666667,0.003,0.013333333333333,0.013333333333333,0.003666666666667",
    });
    expect(await ask("gasestimate&gasprice=1")).toBe("12");
    await expectRecorded("gasoracle/known", "action=gasoracle");
    await expectRecorded("gasestimate/known", "action=gasestimate&gasprice=1");
    await expectRecorded("gasestimate/no-price", "action=gasestimate");
    await expectRecorded("gasestimate/bad", "action=gasestimate&gasprice=0");
    expect(node.count("eth_feeHistory")).toBe(0);
  });
});

describe("a chain whose base fees are not EIP-1559's", () => {
  /** Its base fee stays at 1 Gwei, though its blocks are empty; the next one is 3 Gwei, by its node. */
  async function serveRollup(meanwhile = () => {}): Promise<void> {
    node.fail({
      method: "eth_feeHistory",
      effect: {
        kind: "lie",
        replace: (result) => {
          meanwhile();
          return { ...(result as object), baseFeePerGas: ["0x3b9aca00", "0xb2d05e00"] };
        },
      },
    });
    node.chain.mine(8);
    await serve();
  }

  /** The node's tip is 1 Gwei. */
  const ofBaseFee = (gwei: number) =>
    expect.objectContaining({
      LastBlock: "8",
      suggestBaseFee: `${gwei}`,
      SafeGasPrice: `${gwei + 1}`,
    });

  it("has the next base fee that its node tells", async () => {
    await serveRollup();
    expect(await ask("gasoracle")).toEqual(ofBaseFee(3));
    const asked = node.requests.flat().find(({ method }) => method === "eth_feeHistory");
    expect(asked?.params).toEqual(["0x1", "0x8", []]);
    // Blocks of 12 seconds; 2 Gwei is above 3 Gwei times (7/8)^4.
    expect(await ask("gasestimate&gasprice=2000000000")).toBe("60");
    expect(await ask("gasestimate&gasprice=3000000000")).toBe("12");
    expect(node.count("eth_feeHistory"), "once for a head").toBe(1);
  });

  it.each([
    ["is ahead", () => node.chain.mine(1)],
    ["has another block there", () => node.chain.reorg(1)],
    ["is behind", () => node.chain.revert(1)],
  ])("has the head's while the node %s", async (_, move) => {
    await serveRollup();
    move();
    expect(await ask("gasoracle")).toEqual(ofBaseFee(1));
  });

  it("has the head's when the node moves while it is asked", async () => {
    await serveRollup(() => node.chain.reorg(1));
    expect(await ask("gasoracle")).toEqual(ofBaseFee(1));
    expect(node.count("eth_feeHistory")).toBe(1);
  });

  it("has the head's when the node does not tell", async () => {
    node.behaviour.without.push("eth_feeHistory");
    await serveRollup();
    expect(await ask("gasoracle")).toEqual(ofBaseFee(1));
  });
});

describe("a chain whose base fees are EIP-1559's", () => {
  it("has the rule's next base fee, and the node is not asked", async () => {
    // Empty blocks lower it by an eighth each.
    node.chain.reset({ baseFeeWei: 8n ** 6n });
    node.chain.mine(...[1n, 2n, 3n, 4n, 5n].map((n) => ({ baseFeeWei: 7n ** n * 8n ** (6n - n) })));
    await serve();
    expect(await ask("gasoracle")).toMatchObject({ suggestBaseFee: "0.000117649" });
    expect(node.count("eth_feeHistory")).toBe(0);
  });
});

it("asks again for the tip that the node did not tell", async () => {
  node.chain.reset({ baseFeeWei: GWEI });
  node.chain.mine({ baseFeeWei: (GWEI * 7n) / 8n, transactions: [] });
  await serve();
  const mend = node.fail({
    method: "eth_maxPriorityFeePerGas",
    effect: { kind: "drop" },
  });
  const untold = (await ask("gasoracle")) as Record<string, string>;
  expect(untold["FastGasPrice"]).toBe(untold["suggestBaseFee"]);
  mend();
  const tipped = async () => {
    const told = (await ask("gasoracle")) as Record<string, string>;
    return Number(told["FastGasPrice"]) - Number(told["suggestBaseFee"]);
  };
  // The scripted node suggests 1 Gwei.
  await expect.poll(tipped, { timeout: 30_000 }).toBeCloseTo(1);
});
