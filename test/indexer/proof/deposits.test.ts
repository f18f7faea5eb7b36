import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import type { FetchedBlock, RawReceipt, RawTransaction } from "../../../src/chain/types.ts";
import { validateBlock } from "../../../src/indexer/checks/validate.ts";
import { PARTS, prove } from "../../../src/indexer/proof/prove.ts";

// A block that op-geth v1.101702.3 made, as it answered; test/nodes/optimism.test.ts has it make such blocks. Its first
// transaction is that of the L1 attributes, then come deposits and three signed ones.

const FILE = path.join(import.meta.dirname, "../../fixtures/op-stack-block.json");
const read = (): FetchedBlock => ({ ...JSON.parse(readFileSync(FILE, "utf8")), traces: null });

it("a block with deposits of an OP-stack rollup is proven but for its withdrawals", async () => {
  const fetched = read();
  expect(validateBlock(2, fetched)).toEqual([]);
  const outcomes: Record<string, string> = {};
  for (const part of PARTS) outcomes[part] = (await prove(part, fetched)).outcome;
  expect(outcomes).toEqual({
    header: "proven",
    uncles: "nothing",
    transactions: "proven",
    receipts: "proven",
    // Another root has its place in the header since Isthmus.
    withdrawals: "failed",
    fields: "proven",
    senders: "proven",
  });
});

it.each<[string, "transactions" | "receipts", (deposit: RawTransaction, its: RawReceipt) => void]>([
  ["sender", "transactions", (deposit) => Object.assign(deposit, { from: deposit.to })],
  ["mint", "transactions", (deposit) => Object.assign(deposit, { mint: "0x1" })],
  ["value", "transactions", (deposit) => Object.assign(deposit, { value: "0x1" })],
  [
    "source",
    "transactions",
    (deposit, { blockHash }) => Object.assign(deposit, { sourceHash: blockHash }),
  ],
  [
    "being of the system",
    "transactions",
    (deposit) => Object.assign(deposit, { isSystemTx: true }),
  ],
  ["status", "receipts", (_, its) => Object.assign(its, { status: "0x0" })],
  ["nonce", "receipts", (_, its) => Object.assign(its, { depositNonce: "0x9" })],
])("a lie about a deposit's %s is seen", async (_, part, change) => {
  const fetched = read();
  const [, deposit] = fetched.block.transactions;
  const [, receipt] = fetched.receipts;
  if (!deposit || !receipt) throw new Error("the block has no deposit");
  change(deposit, receipt);
  expect((await prove(part, fetched)).outcome).toBe("failed");
});

it.each([["a deposit without its source", (deposit: RawTransaction) => delete deposit.sourceHash]])(
  "%s cannot be proven",
  async (_, change) => {
    const fetched = read();
    change(fetched.block.transactions[1] as RawTransaction);
    expect((await prove("transactions", fetched)).outcome).toBe("unprovable");
  },
);

it("a block of deposits alone tells nothing of senders", async () => {
  const { block, ...rest } = read();
  const transactions = block.transactions.filter(({ type }) => type === "0x7e");
  const verdict = await prove("senders", { ...rest, block: { ...block, transactions } });
  expect(verdict.outcome).toBe("nothing");
});
