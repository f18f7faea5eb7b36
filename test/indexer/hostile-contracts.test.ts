import { beforeEach, describe, expect, it } from "vitest";
import { CONTROL } from "../../src/chain/state/contract-calls.ts";
import { wordOfAddress } from "../../src/core/evm/address.ts";
import { type IndexedNode, openIndexedNode } from "../support/indexed-node.ts";
import { scriptedAddress } from "../support/scripted-node/block.ts";
import type { IncomingCall } from "../support/scripted-node/faults.ts";
import { TRANSFER, word } from "../support/scripted-node/ledger.ts";
import type { TransactionSpecification } from "../support/scripted-node/specification.ts";

const good = scriptedAddress("good token");
const hostile = scriptedAddress("hostile token");

/** Whether a control call was made. */
function isOfControl({ params }: IncomingCall): boolean {
  return (params[0] as { to?: string } | undefined)?.to === CONTROL.to;
}

function transfer(token: `0x${string}`, to: string, amount: number): TransactionSpecification {
  const topics = [
    TRANSFER,
    wordOfAddress(scriptedAddress("owner")),
    wordOfAddress(scriptedAddress(to)),
  ];
  return { to: token, logs: [{ address: token, topics, data: word(amount) }] };
}

describe("an indexer beside a contract that the node computes on without end", () => {
  let index: IndexedNode;
  let heal: () => void;

  beforeEach(async () => {
    index = await openIndexedNode();
    const isHostile = ({ params }: IncomingCall) => JSON.stringify(params[0]).includes(hostile);
    heal = index.node.fail({ method: "eth_call", when: isHostile, effect: { kind: "stall" } });
  });

  async function count(condition: "pending" | "read", token: `0x${string}`): Promise<number> {
    const [row] = await index.sql<{ count: number }[]>`
      SELECT count(*) FROM token_balances
      WHERE token = ${token} AND (block_number IS NULL) = ${condition === "pending"}`;
    return row?.count ?? 0;
  }

  it.each([
    ["backfilled", 0],
    ["followed the head", 1_000],
  ])("reads all other contracts when it has %s", async (_, finalityDepth) => {
    index.node.chain.mine(
      { transactions: [transfer(hostile, "a", 1), transfer(good, "b", 2)] },
      20,
    );
    await index.start({
      finalityDepth,
      requestTimeoutMs: 100,
    });
    await index.indexer.until(async () => (await count("read", good)) === 2);
    index.node.chain.mine({ transactions: [transfer(hostile, "c", 1), transfer(good, "d", 2)] });
    await index.indexer.until(async () => (await count("read", good)) === 3);
    // The holdings of three accounts by transfers, and the sender, who is in the call.
    expect(await count("pending", hostile)).toBe(4);
    expect(index.indexer.status()).toMatchObject({ phase: "following" });
  });

  it("follows the head when each block brings another one, and reads the others in between", async () => {
    const many = Array.from({ length: 20 }, (_, number) => scriptedAddress(`hostile ${number}`));
    const isOneOfMany = ({ params }: IncomingCall) => {
      const text = JSON.stringify(params[0]);
      return many.some((token) => text.includes(token));
    };
    index.node.fail({ method: "eth_call", when: isOneOfMany, effect: { kind: "stall" } });
    await index.start({ finalityDepth: 1_000 });
    for (const token of many) {
      index.node.chain.mine({ transactions: [transfer(token, "a", 1), transfer(good, "b", 1)] });
    }
    await index.indexer.until(async () => (await count("read", good)) === 2);
  });

  async function stuckIn(): Promise<string[]> {
    const rows = await index.sql<{ address: string }[]>`
      SELECT address FROM tokens WHERE unresponsive`;
    return rows.map(({ address }) => address);
  }

  it("knows that the node gets stuck in it, also when it begins anew, until it does no more", async () => {
    index.node.chain.mine({ transactions: [transfer(hostile, "a", 1), transfer(good, "b", 2)] });
    await index.start({ requestTimeoutMs: 100 });
    await index.indexer.until(async () => (await stuckIn()).length > 0);
    expect(await stuckIn()).toEqual([hostile]);
    await index.start({ requestTimeoutMs: 100 });
    expect(await stuckIn()).toEqual([hostile]);
    heal();
    await index.inStep();
    await index.indexer.until(async () => (await stuckIn()).length === 0);
  });

  it("does not blame it while the node makes no calls at all", async () => {
    index.node.fail({ method: "eth_call", effect: { kind: "stall" } });
    index.node.chain.mine({ transactions: [transfer(hostile, "a", 1), transfer(good, "b", 2)] });
    await index.start({ requestTimeoutMs: 100 });
    await index.indexer.until(() => index.node.requests.flat().filter(isOfControl).length > 2);
    expect(await stuckIn()).toEqual([]);
  });
});
