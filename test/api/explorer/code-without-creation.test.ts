import { afterEach, describe, expect, inject, it } from "vitest";
import { type Address, wordOfAddress, ZERO_ADDRESS } from "../../../src/core/evm/address.ts";
import type { Hex } from "../../../src/core/evm/hex.ts";
import { createTestApp, type TestApp } from "../../support/app.ts";
import { ask } from "../../support/ask.ts";
import {
  startTestIndexer,
  type TestIndexer,
  type TestIndexerOptions,
} from "../../support/indexer.ts";
import { firstCases } from "../../support/matrix.ts";
import { scriptedAddress } from "../../support/scripted-node/block.ts";
import { ScriptedChain } from "../../support/scripted-node/chain.ts";
import { TRANSFER, word } from "../../support/scripted-node/ledger.ts";
import { type ScriptedNode, startScriptedNode } from "../../support/scripted-node.ts";

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

async function start(scripted: ScriptedChain, options: Partial<TestIndexerOptions>) {
  node = await startScriptedNode({ chain: scripted });
  api = await createTestApp({ nodeUrl: node.url });
  const databaseUrl = new URL(inject("postgresUrl"));
  databaseUrl.pathname = api.sql.options.database;
  indexer = startTestIndexer({ databaseUrl: databaseUrl.href, rpcUrls: [node.url], ...options });
  await indexer.reach(node.chain.head.block.hash);
  return { node, app: api.app, indexer };
}

/** The kinds of the token's holders, by what they hold. */
async function holderTypes(app: TestApp["app"]): Promise<string> {
  const { result } = await ask(app, `module=token&action=topholders&contractaddress=${token}`);
  return result.map((row: Record<string, string>) => row["TokenHolderAddressType"]).join("");
}

async function listed(app: TestApp["app"], filter: string): Promise<string[]> {
  const { result } = await ask(app, `module=contract&action=listcontracts&filter=${filter}`);
  return (result ?? []).map(({ Address }: { Address: string }) => Address);
}

const INDEXES = [
  { startBlock: 2, traces: "auto" },
  { startBlock: 0, traces: "auto" },
  { startBlock: 2, traces: "off" },
] as const;

describe.each(firstCases(INDEXES, 1))(
  "indexed from block $startBlock, traces $traces",
  ({ startBlock, traces }) => {
    const index = (finalityDepth: number) => start(chain(), { startBlock, traces, finalityDepth });

    it.each(firstCases([64, 0], 1))(
      "knows contracts by their code, at finality depth %i",
      async (finalityDepth) => {
        const running = await index(finalityDepth);
        expect(await holderTypes(running.app)).toBe("CCAAC");
        for (const [name, address] of Object.entries(holders)) {
          const { result } = await ask(
            running.app,
            `module=account&action=fundedby&address=${address}`,
          );
          const isAccount = name === "plain" || name === "delegated";
          expect(result, name).toEqual(isAccount ? expect.objectContaining({ value: "5" }) : []);
        }
      },
    );

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
      expect(await holderTypes(running.app)).toBe("CCAAA");
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
  },
);

describe("a self-destruct where headers do not tell of EIP-6780", () => {
  const [kept, gone] = [holders.early, holders.child];
  const end = (from: Address) => ({ type: "SELFDESTRUCT", from, to: holders.plain });
  const born = (contractAddress: Address) => ({
    to: null,
    contractAddress,
    output: "0x6002" as Hex,
  });
  function chain(): ScriptedChain {
    const scripted = new ScriptedChain();
    scripted.mine(
      {
        // Since 2024 a chain may have the rule.
        timestampSeconds: 1_750_000_000,
        transactions: [
          born(kept),
          born(gone),
          { logs: [kept, gone].map((holder, index) => given(holder, 100 - index)) },
        ],
        state: { code: { [kept]: "0x6002", [gone]: "0x6002" } },
      },
      1,
      {
        transactions: [{ calls: [end(kept), end(gone)] }],
        state: { code: { [gone]: "0x" } },
      },
    );
    return scripted;
  }

  it.each(firstCases([64, 0], 1))(
    "removes what has no code any more, at finality depth %i",
    async (finalityDepth) => {
      const { app } = await start(chain(), { finalityDepth });
      expect(await holderTypes(app)).toBe("CA");
      expect(await listed(app, "unverified")).toEqual([kept]);
      expect(await listed(app, "empty")).toEqual([gone]);
    },
  );

  it("follows further ones, and reorgs", async () => {
    const running = await start(chain(), {});
    running.node.chain.mine({
      transactions: [{ calls: [end(kept)] }],
      state: { code: { [kept]: "0x" } },
    });
    await running.indexer.reach(running.node.chain.head.block.hash);
    expect(await holderTypes(running.app)).toBe("AA");
    running.node.chain.reorg(1, 2);
    await running.indexer.reach(running.node.chain.head.block.hash);
    expect(await holderTypes(running.app)).toBe("CA");
    running.node.chain.reorg(3, 4);
    await running.indexer.reach(running.node.chain.head.block.hash);
    expect(await holderTypes(running.app)).toBe("CC");
  });

  it("is asked about once", async () => {
    const running = await start(chain(), {});
    const asked = running.node.count("eth_getCode");
    running.node.chain.mine({ transactions: [{ to: kept, valueWei: 1n }] });
    await running.indexer.reach(running.node.chain.head.block.hash);
    expect(running.node.count("eth_getCode")).toBe(asked);
  });
});

describe("creations whose frames have no output", () => {
  const [made, child, none] = [holders.early, holders.child, holders.plain];

  function chain(): ScriptedChain {
    const scripted = new ScriptedChain();
    scripted.mine(
      { transactions: [{ to: child, valueWei: 1n }] },
      {
        transactions: [
          { to: null, contractAddress: made },
          { calls: [{ type: "CREATE", from: token, to: child }] },
          { to: null, contractAddress: none },
          { logs: [made, child, none].map((holder, index) => given(holder, 100 - index)) },
        ],
        state: { code: { [made]: "0x6002", [child]: "0x6003" } },
      },
      1,
    );
    return scripted;
  }

  it.each(firstCases([64, 0], 1))(
    "made what has code, at finality depth %i",
    async (finalityDepth) => {
      const { app } = await start(chain(), { finalityDepth });
      expect(await holderTypes(app)).toBe("CCA");
      expect((await listed(app, "unverified")).toSorted()).toEqual([made, child].toSorted());
      expect(await listed(app, "empty")).toEqual([none]);
    },
  );

  it("are told anew after a reorg, and asked about once", async () => {
    const running = await start(chain(), {});
    const asked = running.node.count("eth_getCode");
    running.node.chain.mine({ transactions: [{ to: made, valueWei: 1n }] });
    await running.indexer.reach(running.node.chain.head.block.hash);
    expect(running.node.count("eth_getCode")).toBe(asked);
    running.node.chain.reorg(3, {
      transactions: [
        { to: null, contractAddress: child },
        { logs: [given(made, 3), given(child, 2)] },
      ],
    });
    await running.indexer.reach(running.node.chain.head.block.hash);
    expect(await holderTypes(running.app)).toBe("AA");
  });
});
