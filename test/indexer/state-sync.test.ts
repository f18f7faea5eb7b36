import { expect, it } from "vitest";
import type { RawBlock, RawReceipt } from "../../src/chain/types.ts";
import { openIndexedNode } from "../support/indexed-node.ts";
import { scriptedAddress } from "../support/scripted-node/block.ts";
import { lie } from "../support/scripted-node/faults.ts";
import { stateSyncOf } from "../support/scripted-node/state-sync.ts";

it("the index goes on behind a tracer that leaves state-sync transactions out, and says so", async () => {
  const index = await openIndexedNode();
  const { node } = index;
  const of = (hash: unknown) => node.chain.byHash(String(hash));
  const blockOf = (number: unknown) => node.chain.at(Number(number));
  node.fail({
    method: "eth_getBlockByNumber",
    effect: lie((result, { params: [, isWhole] }) => {
      const block = result as RawBlock | null;
      if (!block || !isWhole || block.number === "0x0") return block;
      const { transaction } = stateSyncOf(of(block.hash)?.block as RawBlock, 0);
      return { ...block, transactions: [...block.transactions, transaction] };
    }),
  });
  node.fail({
    method: "eth_getBlockReceipts",
    effect: lie((result, { params: [name] }) => {
      const block = (of(name) ?? blockOf(name))?.block;
      if (!block || block.number === "0x0") return result;
      return [...(result as RawReceipt[]), stateSyncOf(block, 0).receipt];
    }),
  });
  const asked: unknown[] = [];
  node.fail({
    method: "debug_traceBlockByHash",
    effect: lie((result, { params }) => {
      asked.push(params[1]);
      return result;
    }),
  });
  const from = scriptedAddress("caller");
  const calls = [{ from, to: scriptedAddress("called"), valueWei: 1n }];
  node.chain.mine({ transactions: [{ from, calls }] }, {}, {}, {});
  await index.start();
  await index.inStep();
  const [counts] = await index.sql`
    SELECT (SELECT count(*) FROM transactions) AS transactions,
      (SELECT count(*) FROM internal_transactions) AS internal_transactions,
      (SELECT count(*) FROM logs) AS logs`;
  expect(counts).toEqual({ transactions: 5, internalTransactions: 1, logs: 4 });
  expect(index.indexer.status().accepted).toMatchObject({ "untraced-state-sync": 4 });
  expect(asked).toContainEqual(expect.objectContaining({ borTraceEnabled: true }));
});
