import { afterEach, describe, expect, inject, it } from "vitest";
import { type Address, wordOfAddress, ZERO_ADDRESS } from "../../src/core/address.ts";
import type { Hex } from "../../src/core/hex.ts";
import { createTestApp, type TestApp } from "../support/app.ts";
import { ask } from "../support/ask.ts";
import { startTestIndexer, type TestIndexer } from "../support/indexer.ts";
import { scriptedAddress } from "../support/scripted-node/block.ts";
import { ScriptedChain } from "../support/scripted-node/chain.ts";
import { TRANSFER, word } from "../support/scripted-node/ledger.ts";
import { type ScriptedNode, startScriptedNode } from "../support/scripted-node.ts";

const token = scriptedAddress("token");
const holders = {
  predeployed: scriptedAddress("predeployed"),
  early: scriptedAddress("early"),
  delegated: scriptedAddress("delegated"),
  plain: scriptedAddress("plain"),
  child: scriptedAddress("child"),
};
const DELEGATION: Hex = `0xef0100${"11".repeat(20)}`;

let node: ScriptedNode | undefined;
let api: TestApp | undefined;
let indexer: TestIndexer | undefined;

afterEach(async () => {
  await indexer?.stop();
  await api?.close();
  await node?.stop();
});

function given(to: Address, amount: number) {
  const topics = [TRANSFER, wordOfAddress(ZERO_ADDRESS), wordOfAddress(to)];
  return { address: token, topics, data: word(amount) };
}

/** A chain with a contract from the beginning, one of block 1, an account that lends its calls, and a later creation. */
function chain(): ScriptedChain {
  const scripted = new ScriptedChain({
    genesis: {
      state: { code: { [holders.predeployed]: "0x6001", [holders.delegated]: DELEGATION } },
    },
  });
  scripted.mine(
    { transactions: [{ to: null, contractAddress: holders.early, output: "0x6002" }] },
    1,
    {
      transactions: [
        { logs: Object.values(holders).map((holder, index) => given(holder, 100 - index)) },
        ...Object.values(holders).map((to) => ({ to, valueWei: 5n })),
      ],
    },
    {
      transactions: [
        {
          calls: [
            { type: "CREATE2", from: token, to: holders.child, input: "0x60", output: "0x6003" },
          ],
        },
      ],
      state: { code: { [holders.child]: "0x6003" } },
    },
  );
  return scripted;
}

describe.each([
  { startBlock: 0, traces: "auto" },
  { startBlock: 2, traces: "auto" },
  { startBlock: 2, traces: "off" },
] as const)("indexed from block $startBlock, traces $traces", ({ startBlock, traces }) => {
  async function index(finalityDepth: number) {
    node = await startScriptedNode({ chain: chain() });
    api = await createTestApp({ nodeUrl: node.url });
    const databaseUrl = new URL(inject("postgresUrl"));
    databaseUrl.pathname = api.sql.options.database;
    indexer = startTestIndexer({
      databaseUrl: databaseUrl.href,
      rpcUrls: [node.url],
      startBlock,
      traces,
      finalityDepth,
    });
    await indexer.reach(node.chain.head.block.hash);
    return { node, app: api.app, indexer };
  }

  const types = async ({ app }: { app: TestApp["app"] }) => {
    const { result } = await ask(app, `module=token&action=topholders&contractaddress=${token}`);
    return result.map((row: Record<string, string>) => row["TokenHolderAddressType"]).join("");
  };

  it.each([64, 0])("knows contracts by their code, at finality depth %i", async (finalityDepth) => {
    const running = await index(finalityDepth);
    expect(await types(running)).toBe("CCEEC");
    for (const [name, address] of Object.entries(holders)) {
      const { result } = await ask(
        running.app,
        `module=account&action=fundedby&address=${address}`,
      );
      const isAccount = name === "plain" || name === "delegated";
      expect(result, name).toEqual(isAccount ? expect.objectContaining({ value: "5" }) : []);
    }
  });

  it("lists contracts where it saw them first", async () => {
    const { app } = await index(64);
    const { result } = await ask(app, "module=contract&action=listcontracts");
    const { predeployed, early, child } = holders;
    const inOrder = startBlock === 0 ? [early, predeployed, child] : [predeployed, early, child];
    expect(result.map(({ Address }: { Address: string }) => Address)).toEqual(
      traces === "off" ? [] : inOrder,
    );
  });

  it("follows a reorg that takes a creation away", async () => {
    const running = await index(64);
    running.node.chain.reorg(1, 2);
    await running.indexer.reach(running.node.chain.head.block.hash);
    expect(await types(running)).toBe("CCEEE");
  });

  it("asks for the code of an address once", async () => {
    const running = await index(64);
    const asked = running.node.count("eth_getCode");
    running.node.chain.mine({
      transactions: Object.values(holders).map((to) => ({ to, valueWei: 1n })),
    });
    await running.indexer.reach(running.node.chain.head.block.hash);
    expect(running.node.count("eth_getCode")).toBe(asked);
  });
});
