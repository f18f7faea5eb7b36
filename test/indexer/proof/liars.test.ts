import { describe, expect, it } from "vitest";
import type { FetchedBlock, RawLog, RawReceipt, RawTransaction } from "../../../src/chain/types.ts";
import { logsBloom } from "../../../src/core/evm/logs-bloom.ts";
import { quantity, quantityToBigInt } from "../../../src/core/evm/quantity.ts";
import { validateBlock } from "../../../src/indexer/checks/validate.ts";
import {
  createProofs,
  initialProofs,
  type ProofStatus,
} from "../../../src/indexer/proof/proofs.ts";
import { PARTS, type Part, prove } from "../../../src/indexer/proof/prove.ts";
import { createMetrics } from "../../../src/telemetry/metrics.ts";
import { scriptedAddress } from "../../support/scripted-node/block.ts";
import { ScriptedChain } from "../../support/scripted-node/chain.ts";
import { signer } from "../../support/scripted-node/provable.ts";
import { stateSyncOf } from "../../support/scripted-node/state-sync.ts";

const alice = signer("alice");
const other = scriptedAddress("other");
const WORD = `0x${"ab".repeat(32)}` as const;
const token = scriptedAddress("token");
const logs = [{ address: token, topics: [WORD], data: "0x01" as const }, { address: token }];

const authorization = {
  ...{ chainId: "0x1", address: other, nonce: "0x0", yParity: "0x1", r: "0x1", s: "0x2" },
} as const;
const accessList = [{ address: other, storageKeys: [WORD] }];

/** A provable block with a transaction of each type, a creation, a failure, logs and withdrawals. */
function honestBlock(): FetchedBlock {
  const chain = new ScriptedChain({ chainId: 1, provable: true });
  const { block, receipts, frames, uncles } = chain.mine({
    transactions: [
      { from: alice, type: 0, valueWei: 5n, logs },
      { from: alice, type: 1, fields: { accessList } },
      { from: alice, type: 2, logs, input: "0x1234" },
      { from: alice, type: 3, error: "reverted" },
      { from: alice, type: 4, fields: { authorizationList: [authorization] } },
      { from: alice, to: null, input: "0x60" },
      { from: alice, fields: { v: undefined } },
    ],
    uncles: [{ miner: other, distance: 1 }],
    withdrawals: [
      { address: other, amountGwei: 7 },
      { address: token, amountGwei: 0 },
    ],
  });
  const traces = frames.map((frame, index) => ({
    transactionHash: block.transactions[index]?.hash ?? null,
    frame: { ...frame, to: frame.to ?? null, output: null, error: null, calls: [] },
  }));
  return structuredClone({ block, receipts: [...receipts], traces, uncles: [...uncles] });
}

/** The block as Polygon's nodes show it. Its roots, its bloom and its gas stay as they are. */
function withStateSync(fetched: FetchedBlock): FetchedBlock {
  const { block, receipts, traces } = fetched;
  const { transaction, receipt } = stateSyncOf(block, receipts.flatMap((one) => one.logs).length);
  const { hash, from, to, value, input } = transaction;
  block.transactions.push(transaction);
  receipts.push(receipt);
  const outcome = { gas: null, gasUsed: null, output: null, error: null, calls: [] };
  traces?.push({
    transactionHash: hash,
    frame: { type: "call", from, to, value, input, ...outcome },
  });
  return fetched;
}

interface Parts {
  fetched: FetchedBlock;
  block: FetchedBlock["block"];
  transaction: RawTransaction;
  receipt: RawReceipt;
  log: RawLog;
}

/** Looks at a block on a chain where every part was proven before; gives what came of it. */
async function outcomeOf(
  fetched: FetchedBlock,
  {
    established = PARTS,
    isDevelopment = false,
  }: { established?: readonly Part[]; isDevelopment?: boolean } = {},
): Promise<{ refused?: string; unproven: string[]; status: ProofStatus; remembered: Part[] }> {
  const status = { proofs: initialProofs(true) };
  const remembered: Part[] = [];
  const proofs = createProofs({
    enabled: true,
    metrics: createMetrics("indexer"),
    log: { info: () => {}, warn: () => {} },
    status,
    remember: async (part) => void remembered.push(part),
  });
  proofs.begin({ proven: established, isDevelopment });
  try {
    const unproven = await proofs.examine(fetched, "whole");
    proofs.accept(unproven);
    return { unproven: unproven.map(({ part }) => part), status: status.proofs, remembered };
  } catch (error) {
    return { refused: String(error), unproven: [], status: status.proofs, remembered };
  }
}

/** Lies that agree with themselves: validation finds nothing in them. */
const LIES: Record<string, (parts: Parts) => unknown> = {
  "the time": ({ block }) => Object.assign(block, { timestamp: "0x1" }),
  "the producer": ({ block }) => Object.assign(block, { miner: other }),
  "the base fee": ({ block }) => Object.assign(block, { baseFeePerGas: "0x1" }),
  "the difficulty": ({ block }) => Object.assign(block, { difficulty: "0x1" }),
  "the limit of gas": ({ block }) => Object.assign(block, { gasLimit: "0x1" }),
  "a value": ({ transaction }) => Object.assign(transaction, { value: "0x6" }),
  "a receiver": ({ transaction }) => Object.assign(transaction, { to: other }),
  "call data": ({ transaction }) => Object.assign(transaction, { input: "0x12" }),
  "a nonce": ({ transaction }) => Object.assign(transaction, { nonce: "0x9" }),
  "a limit of a transaction's gas": ({ transaction }) => Object.assign(transaction, { gas: "0x9" }),
  "an access list": ({ block }) => Object.assign(block.transactions[1] ?? {}, { accessList: [] }),
  "a blob": ({ block }) =>
    Object.assign(block.transactions[3] ?? {}, { blobVersionedHashes: [WORD] }),
  "a delegation": ({ block }) =>
    Object.assign(block.transactions[4] ?? {}, {
      authorizationList: [{ ...authorization, address: token }],
    }),
  "a signature": ({ transaction }) => Object.assign(transaction, { r: WORD }),
  "a type": ({ transaction }) => Object.assign(transaction, { type: "0x1" }),
  "a hash": ({ fetched, transaction, receipt }) => {
    for (const log of receipt.logs) log.transactionHash = WORD;
    transaction.hash = WORD;
    receipt.transactionHash = WORD;
    if (fetched.traces?.[0]) fetched.traces[0].transactionHash = WORD;
  },
  "a status": ({ receipt }) => Object.assign(receipt, { status: "0x0" }),
  "a failure": ({ fetched }) => Object.assign(fetched.receipts[3] ?? {}, { status: "0x1" }),
  "the gas of two": ({ fetched: { receipts } }) => {
    const [first, second] = receipts;
    if (!first || !second) return;
    const more = quantity(quantityToBigInt(first.gasUsed) + 1n);
    Object.assign(first, { gasUsed: more, cumulativeGasUsed: more });
    Object.assign(second, { gasUsed: quantity(quantityToBigInt(second.gasUsed) - 1n) });
  },
  "a log's data": ({ log }) => Object.assign(log, { data: "0x02" }),
  "a log's token": ({ log, fetched }) => {
    log.address = other;
    recomputeBlooms(fetched);
  },
  "a log's topic": ({ log, fetched }) => {
    log.topics = [`0x${"cd".repeat(32)}`];
    recomputeBlooms(fetched);
  },
  "a log that is left out": ({ fetched }) => {
    fetched.receipts[2]?.logs.pop();
    recomputeBlooms(fetched);
  },
  "a transaction that is left out": ({ fetched, block }) => {
    block.transactions.pop();
    fetched.receipts.pop();
    fetched.traces?.pop();
    block.gasUsed = fetched.receipts.at(-1)?.cumulativeGasUsed ?? "0x0";
  },
  "a price": ({ receipt }) => Object.assign(receipt, { effectiveGasPrice: "0x1" }),
  "a created contract": ({ fetched }) => {
    Object.assign(fetched.receipts[5] ?? {}, { contractAddress: other });
    Object.assign(fetched.traces?.[5]?.frame ?? {}, { to: other });
  },
  "a sender": ({ fetched, block }) => {
    for (const [index, transaction] of block.transactions.entries()) {
      transaction.from = other;
      const receipt = fetched.receipts[index];
      if (receipt) receipt.from = other;
      const frame = fetched.traces?.[index]?.frame;
      if (frame) frame.from = other;
    }
  },
  "the producer of an uncle": ({ fetched }) =>
    Object.assign(fetched.uncles?.[0] ?? {}, { miner: token }),
  "an uncle that is left out": ({ fetched, block }) => {
    block.uncles = [];
    fetched.uncles = [];
  },
  "a withdrawal": ({ block }) => Object.assign(block.withdrawals?.[0] ?? {}, { amount: "0x8" }),
  "its receiver": ({ block }) => Object.assign(block.withdrawals?.[0] ?? {}, { address: token }),
  "a withdrawal that is left out": ({ block }) => block.withdrawals?.pop(),
  "all withdrawals": ({ block }) => Object.assign(block, { withdrawals: undefined }),
  "all withdrawals and their root": ({ block }) =>
    Object.assign(block, { withdrawals: undefined, withdrawalsRoot: undefined }),
};

function recomputeBlooms({ block, receipts }: FetchedBlock): void {
  for (const receipt of receipts) receipt.logsBloom = logsBloom(receipt.logs);
  block.logsBloom = logsBloom(receipts.flatMap((receipt) => receipt.logs));
}

function spoil(lie: (parts: Parts) => unknown): FetchedBlock {
  const fetched = honestBlock();
  const { block, receipts } = fetched;
  const [transaction] = block.transactions;
  const [receipt] = receipts;
  const log = receipt?.logs[0];
  if (!transaction || !receipt || !log) throw new Error("no transaction");
  lie({ fetched, block, transaction, receipt, log });
  return fetched;
}

describe("a node that lies without contradicting itself about", () => {
  it.each(Object.entries(LIES))("%s is found out", async (_, lie) => {
    const fetched = spoil(lie);
    expect(validateBlock(1, fetched)).toEqual([]);
    expect((await outcomeOf(fetched)).refused).toContain("is proven wrong");
  });
});

it("a node that lies about the gas of one transaction alone is found out however often it says so", async () => {
  const fetched = spoil(({ receipt }) => Object.assign(receipt, { gasUsed: "0x1" }));
  expect(validateBlock(1, fetched)).toMatchObject([{ kind: "cumulative-gas" }]);
  expect((await outcomeOf(fetched)).refused).toContain("its receipt says 0x1");
});

describe("a block", () => {
  it("of an honest node is proven, each part, and that is remembered once", async () => {
    const fetched = honestBlock();
    expect(validateBlock(1, fetched)).toEqual([]);
    const { refused, unproven, status, remembered } = await outcomeOf(fetched, { established: [] });
    expect({ refused, unproven, remembered }).toEqual({ unproven: [], remembered: PARTS });
    const expected = { proven: 1, unproven: 0, off: null };
    expect(status).toEqual(Object.fromEntries(PARTS.map((part) => [part, expected])));
  });

  it("of a chain that was never proven is not refused, and in the end not looked at", async () => {
    const fetched = spoil(({ block }) => Object.assign(block, { timestamp: "0x1" }));
    const status = { proofs: initialProofs(true) };
    const said: unknown[] = [];
    const proofs = createProofs({
      enabled: true,
      metrics: createMetrics("indexer"),
      log: { info: (fields: unknown) => void said.push(fields), warn: () => {} },
      status,
      remember: async () => {},
    });
    proofs.begin({ proven: [], isDevelopment: false });
    for (let count = 0; count < 3; count++) {
      const unproven = await proofs.examine(fetched, "sample");
      expect(unproven).toEqual([{ part: "header", reason: "the header has another hash" }]);
      proofs.accept(unproven);
    }
    expect(await proofs.examine(fetched, "whole")).toEqual([]);
    expect(status.proofs.header).toEqual({
      proven: 0,
      unproven: 3,
      off: "the header has another hash",
    });
    expect(said).toEqual([{ part: "header", reason: "the header has another hash" }]);
    // A sample may be proven as a whole, too.
    expect(status.proofs.transactions.proven).toBeGreaterThan(0);
  });

  it.each<[string, Part, (parts: Parts) => unknown, string]>([
    [
      "with a field of a later fork",
      "header",
      ({ block }) => Object.assign(block, { newRoot: WORD, timestamp: "0x1" }),
      "the header has fields that are not known: newRoot",
    ],
    [
      "without a field of the header",
      "header",
      ({ block }) => Object.assign(block, { stateRoot: undefined }),
      "stateRoot is missing",
    ],
    [
      "with a transaction of a type that is not known",
      "transactions",
      ({ transaction }) => Object.assign(transaction, { type: "0x7b" }),
      "transactions of type 123 are not known",
    ],
    [
      "with a receipt of such a type",
      "receipts",
      ({ transaction }) => Object.assign(transaction, { type: "0x7b" }),
      "receipts of type 123 are not known",
    ],
    [
      "whose transaction of such a type pays by another rule",
      "fields",
      ({ transaction, receipt }) => {
        transaction.type = "0x7b";
        receipt.effectiveGasPrice = "0x1";
      },
      "transaction 0 pays 2000000000 wei, and its receipt says 0x1",
    ],
    [
      "with a transaction of the chain's own, which nobody signed (Sonic, Moonbeam)",
      "senders",
      ({ transaction }) => Object.assign(transaction, { v: "0x0", r: "0x0", s: "0x0" }),
      "transaction 0 is not signed",
    ],
    [
      "with a receipt without status and root",
      "receipts",
      ({ receipt }) => Object.assign(receipt, { status: undefined }),
      "status or root is missing",
    ],
  ])("%s cannot be proven, which is said", async (_, part, change, reason) => {
    expect(await prove(part, spoil(change))).toEqual({ outcome: "unprovable", reason });
    const { refused, unproven } = await outcomeOf(spoil(change), { established: [part] });
    expect(refused).toBeUndefined();
    expect(unproven).toContain(part);
  });

  it("with a transaction that nobody signed is refused for a lie about another's sender", async () => {
    const fetched = spoil(({ block, transaction }) => {
      Object.assign(transaction, { r: "0x1", s: "0x1" });
      Object.assign(block.transactions[2] ?? {}, { from: other });
    });
    const { refused } = await outcomeOf(fetched, { established: ["senders"] });
    expect(refused).toContain("did not sign transaction 2");
  });

  it("whose transactions pay the base fee alone proves no rule of prices: ZKsync takes no tips", async () => {
    const fetched = spoil(({ block, transaction }) => {
      Object.assign(block, { baseFeePerGas: transaction.gasPrice });
      for (const transaction of block.transactions) transaction.type = "0x0";
    });
    expect(await prove("fields", fetched)).toEqual({ outcome: "nothing" });
  });

  it("of Polygon is proven without the transaction that takes over messages of Ethereum", async () => {
    const fetched = withStateSync(honestBlock());
    expect(validateBlock(1, fetched)).toEqual([]);
    for (const _ of Array(5)) {
      const { refused, unproven } = await outcomeOf(fetched);
      expect({ refused, unproven }).toEqual({ unproven: [] });
    }
    const lie = withStateSync(honestBlock());
    const last = lie.block.transactions.at(-1);
    if (last) last.hash = WORD;
    expect((await outcomeOf(lie)).refused).toContain("transaction 7 has another hash");
  });

  it("of a development chain is not refused", async () => {
    const fetched = spoil(({ block }) => Object.assign(block, { timestamp: "0x1" }));
    const { refused, unproven } = await outcomeOf(fetched, { isDevelopment: true });
    expect({ refused, unproven }).toEqual({ unproven: ["header"] });
  });

  it("from before Byzantium is proven by the state root of its receipts", async () => {
    const chain = new ScriptedChain({ chainId: 1, provable: true });
    const { block, receipts } = chain.mine({
      transactions: [{ from: alice, type: 0, receiptFields: { status: undefined, root: WORD } }],
    });
    const fetched = { block, receipts: [...receipts], traces: null };
    expect((await outcomeOf(fetched)).refused).toBeUndefined();
    const lie = structuredClone(fetched);
    Object.assign(lie.receipts[0] ?? {}, { root: `0x${"cd".repeat(32)}` });
    expect((await outcomeOf(lie)).refused).toContain("the receipts have another root");
  });
});
