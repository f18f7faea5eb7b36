import { keccak256 } from "viem";
import { expect, it } from "vitest";
import type { RawBlock, RawReceipt } from "../../src/chain/types.ts";
import { type IndexedNode, openIndexedNode } from "../support/indexed-node.ts";
import { scriptedAddress } from "../support/scripted-node/block.ts";
import { type Effect, lie, rpcError } from "../support/scripted-node/faults.ts";
import { stateSyncOf } from "../support/scripted-node/state-sync.ts";

function stateSyncIn(block: RawBlock, isMadhugiri: boolean): ReturnType<typeof stateSyncOf> {
  const { transaction, receipt } = stateSyncOf(block, 0);
  if (!isMadhugiri) return { transaction, receipt };
  const hash = keccak256(transaction.hash);
  const logs = receipt.logs.map((log) => ({ ...log, transactionHash: hash }));
  return {
    transaction: { ...transaction, hash, type: "0x7f" },
    receipt: { ...receipt, transactionHash: hash, logs },
  };
}

/** A chain whose blocks end with a state-sync transaction each, as before Madhugiri or as from then on. */
async function openPolygon({ isMadhugiri = false } = {}): Promise<IndexedNode> {
  const index = await openIndexedNode();
  const { node } = index;
  const of = (hash: unknown) => node.chain.byHash(String(hash));
  const blockOf = (number: unknown) => node.chain.at(Number(number));
  node.fail({
    method: "eth_getBlockByNumber",
    effect: lie((result, { params: [, isWhole] }) => {
      const block = result as RawBlock | null;
      if (!block || !isWhole || block.number === "0x0") return block;
      const { transaction } = stateSyncIn(of(block.hash)?.block as RawBlock, isMadhugiri);
      return { ...block, transactions: [...block.transactions, transaction] };
    }),
  });
  node.fail({
    method: "eth_getBlockReceipts",
    effect: lie((result, { params: [name] }) => {
      const block = (of(name) ?? blockOf(name))?.block;
      if (!block || block.number === "0x0") return result;
      return [...(result as RawReceipt[]), stateSyncIn(block, isMadhugiri).receipt];
    }),
  });
  const from = scriptedAddress("caller");
  const calls = [{ from, to: scriptedAddress("called"), valueWei: 1n }];
  node.chain.mine({ transactions: [{ from, calls }] }, {}, {}, {});
  return index;
}

async function expectServed(index: IndexedNode): Promise<void> {
  await index.start();
  await index.inStep();
  const [counts] = await index.sql`
    SELECT (SELECT count(*) FROM transactions) AS transactions,
      (SELECT count(*) FROM internal_transactions) AS internal_transactions,
      (SELECT count(*) FROM logs) AS logs`;
  expect(counts).toEqual({ transactions: 5, internalTransactions: 1, logs: 4 });
  await index.indexer.until(() => index.indexer.status().accepted["untraced-state-sync"] === 4);
}

it("the index goes on behind a tracer that leaves state-sync transactions out, and says so", async () => {
  const index = await openPolygon();
  const asked: unknown[] = [];
  index.node.fail({
    method: "debug_traceBlockByHash",
    effect: lie((result, { params }) => {
      asked.push(params[1]);
      return result;
    }),
  });
  await expectServed(index);
  expect(asked).toContainEqual(expect.objectContaining({ borTraceEnabled: true }));
});

it("a transaction that the tracer leaves out beside a state-sync one is traced alone", async () => {
  const index = await openPolygon();
  index.node.fail({
    method: "debug_traceBlockByHash",
    effect: lie((result, { params: [hash] }) => {
      const { transaction } = stateSyncIn(
        index.node.chain.byHash(String(hash))?.block as RawBlock,
        false,
      );
      const frame = { type: "CALL", from: transaction.from, to: transaction.to, input: "0x" };
      return [...(result as object[]).slice(1), { txHash: transaction.hash, result: frame }];
    }),
  });
  await index.start();
  await index.inStep();
  expect(await index.sql`SELECT block_number FROM internal_transactions`).toHaveLength(1);
});

const BEFORE = { isMadhugiri: false };
const NO_TRACES: readonly (readonly [string, { isMadhugiri: boolean }, Effect])[] = [
  ["steps (Bor before)", BEFORE, lie(() => ({ gas: 0, failed: false, structLogs: [] }))],
  ["nothing (Erigon)", BEFORE, lie(() => null)],
  ["a list (Erigon)", BEFORE, lie(() => [])],
  [
    "an error (Bor behind Madhugiri)",
    { isMadhugiri: true },
    rpcError(-32_000, "tracing failed: intrinsic gas too low: have 0, want 21000"),
  ],
];

it.each(NO_TRACES)(
  "a node that traces transactions alone may give for a state-sync one %s",
  async (_, { isMadhugiri }, effect) => {
    const index = await openPolygon({ isMadhugiri });
    const { node } = index;
    node.behaviour.without = ["debug_traceBlockByHash", "debug_traceBlockByNumber", "trace_block"];
    const hashes = [1, 2, 3, 4].map(
      (number) =>
        stateSyncIn(node.chain.at(number)?.block as RawBlock, isMadhugiri).transaction.hash,
    );
    node.fail({
      method: "debug_traceTransaction",
      effect,
      when: ({ params: [hash] }) => hashes.some((one) => one === hash),
    });
    await expectServed(index);
  },
);
