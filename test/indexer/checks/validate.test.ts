import { describe, expect, it } from "vitest";
import type { FetchedBlock, RawLog, RawReceipt, RawTransaction } from "../../../src/chain/types.ts";
import { ZERO_ADDRESS } from "../../../src/core/evm/address.ts";
import { InconsistentBlockError, validateBlock } from "../../../src/indexer/checks/validate.ts";
import { scriptedAddress } from "../../support/scripted-node/block.ts";
import { ScriptedChain } from "../../support/scripted-node/chain.ts";
import { stateSyncOf } from "../../support/scripted-node/state-sync.ts";

const OTHER_HASH = `0x${"ab".repeat(32)}` as const;
const ZERO_HASH = `0x${"00".repeat(32)}` as const;
const token = scriptedAddress("token");

/** Block 1 with a plain transaction between two that have two logs each. */
function goodBlock(): FetchedBlock {
  const chain = new ScriptedChain();
  const logs = [
    { address: token, topics: [OTHER_HASH], data: "0x01" as const },
    { address: token },
  ];
  const { block, receipts, frames } = chain.mine({ transactions: [{ logs }, {}, { logs }] });
  const traces = frames.map((frame, index) => ({
    transactionHash: block.transactions[index]?.hash ?? null,
    frame: {
      ...frame,
      type: "call",
      to: frame.to ?? null,
      output: null,
      error: null,
      calls: [],
    },
  }));
  return structuredClone({ block, receipts: [...receipts], traces });
}

type Spoil = (parts: {
  fetched: FetchedBlock;
  block: FetchedBlock["block"] & Record<string, unknown>;
  transaction: RawTransaction & Record<string, unknown>;
  receipt: RawReceipt & Record<string, unknown>;
  log: RawLog & Record<string, unknown>;
  trace: Record<string, unknown> & { frame: Record<string, unknown> };
}) => void;

/** Puts a frame like the outermost one into it, but for some fields. */
function inner(frame: Record<string, unknown>, fields: Record<string, unknown>): void {
  frame["calls"] = [{ ...frame, ...fields }];
}

function verdictOn(spoil: Spoil): string[] | string {
  const fetched = goodBlock();
  const [transaction] = fetched.block.transactions;
  const [receipt] = fetched.receipts;
  const log = receipt?.logs[0];
  const trace = fetched.traces?.[0];
  spoil({ fetched, block: fetched.block, transaction, receipt, log, trace } as never);
  try {
    return validateBlock(1, fetched).map(({ kind }) => kind);
  } catch (error) {
    if (error instanceof InconsistentBlockError) return error.message;
    throw error;
  }
}

describe("a block", () => {
  it("that agrees with itself has no inconsistency", () => {
    expect(verdictOn(() => {})).toEqual([]);
  });

  it.each([
    ["another hash", { transactionHash: OTHER_HASH, from: ZERO_ADDRESS }, []],
    ["no hash and another sender", { transactionHash: null, from: token }, ["odd-field"]],
  ])(
    "may have a trace of its state-sync transaction with %s",
    (_, { from, transactionHash }, kinds) => {
      const verdict = verdictOn(({ fetched, block }) => {
        const { transaction, receipt } = stateSyncOf(block, 4);
        block.transactions.push(transaction);
        fetched.receipts.push(receipt);
        const [trace] = structuredClone(fetched.traces ?? []);
        if (trace) fetched.traces?.push({ transactionHash, frame: { ...trace.frame, from } });
      });
      expect(verdict).toEqual(kinds);
    },
  );

  it("may have logs with as many topics as the EVM has instructions for", () => {
    const spoil: Spoil = ({ log }) => Object.assign(log, { topics: Array(4).fill(OTHER_HASH) });
    expect(verdictOn(spoil)).toEqual([]);
  });

  it.each([token, null])("may have a nameless trace of a creation that made %s", (made) => {
    const verdict = verdictOn(({ transaction, receipt, trace }) => {
      Object.assign(transaction, { to: null });
      Object.assign(receipt, { to: null, contractAddress: token });
      trace["transactionHash"] = null;
      Object.assign(trace.frame, { type: "create", to: made });
    });
    expect(verdict).toEqual([]);
  });

  it.each<[string, Spoil, string]>([
    ["of another number", ({ block }) => Object.assign(block, { number: "0x2" }), "is block 0x2"],
    ["without a hash", ({ block }) => Object.assign(block, { hash: "0x12" }), "no hash or parent"],
    ["without a parent", ({ block }) => Object.assign(block, { parentHash: null }), "no hash or"],
    ["without a recipient", ({ block }) => Object.assign(block, { miner: null }), "fee recipient"],
    [
      "without transactions",
      ({ block }) => Object.assign(block, { transactions: null }),
      "no list of transactions",
    ],
    [
      "with another uncle",
      ({ block, fetched }) => {
        block.uncles = [OTHER_HASH];
        fetched.uncles = [{ ...block, number: "0x0" }];
      },
      "uncle 0 is another one",
    ],
    [
      "with an uncle of nobody",
      ({ block, fetched }) => {
        block.uncles = [OTHER_HASH];
        fetched.uncles = [{ ...block, hash: OTHER_HASH, number: "0x0", miner: "0x" }];
      },
      "uncle 0 has no fee recipient",
    ],
    [
      "with an uncle that is no older",
      ({ block, fetched }) => {
        block.uncles = [OTHER_HASH];
        fetched.uncles = [{ ...block, hash: OTHER_HASH }];
      },
      "uncle 0 is no older than the block",
    ],
    ["with a receipt too few", ({ fetched }) => fetched.receipts.pop(), "but 2 receipts"],
    ["with a trace too few", ({ fetched }) => fetched.traces?.pop(), "but 2 traces"],
    [
      "with a transaction without a hash",
      ({ transaction }) => Object.assign(transaction, { hash: "0x" }),
      "transaction 0 has no hash",
    ],
    [
      "with a transaction without a sender",
      ({ transaction }) => Object.assign(transaction, { from: "0x" }),
      "transaction 0 has no sender",
    ],
    [
      "with a transaction to no address",
      ({ transaction }) => Object.assign(transaction, { to: "0x" }),
      "transaction 0 has a malformed receiver",
    ],
    [
      "with input that is no bytes",
      ({ transaction }) => Object.assign(transaction, { input: "0x1" }),
      "transaction 0 has malformed input",
    ],
    [
      "with a transaction of another block",
      ({ transaction }) => Object.assign(transaction, { blockHash: OTHER_HASH }),
      "transaction 0 says it is elsewhere",
    ],
    [
      "with a transaction of another place",
      ({ transaction }) => Object.assign(transaction, { transactionIndex: "0x1" }),
      "transaction 0 says it is elsewhere",
    ],
    [
      "with a receipt of another block",
      ({ receipt }) => Object.assign(receipt, { blockHash: OTHER_HASH }),
      "receipt 0 belongs to another block",
    ],
    [
      "with a receipt of another transaction",
      ({ receipt }) => Object.assign(receipt, { transactionHash: OTHER_HASH }),
      "receipt 0 belongs to another transaction",
    ],
    [
      "with a receipt without a transaction",
      ({ receipt }) => Object.assign(receipt, { transactionHash: null }),
      "receipt 0 belongs to another transaction",
    ],
    [
      "with a receipt of another place",
      ({ receipt }) => Object.assign(receipt, { transactionIndex: "0x2" }),
      "receipt 0 belongs to another transaction",
    ],
    [
      "with receipts in another order",
      ({ fetched }) => fetched.receipts.reverse(),
      "receipt 0 belongs to another transaction",
    ],
    [
      "with a log of another block",
      ({ log }) => Object.assign(log, { blockHash: OTHER_HASH }),
      "log 0 of transaction 0 belongs to another block",
    ],
    [
      "with a log of another transaction",
      ({ log }) => Object.assign(log, { transactionHash: OTHER_HASH }),
      "log 0 of transaction 0 belongs to another one",
    ],
    ["with a log of nobody", ({ log }) => Object.assign(log, { address: null }), "has no address"],
    [
      "with a topic that is no word",
      ({ log }) => Object.assign(log, { topics: ["0x12"] }),
      "log 0 of transaction 0 has a malformed topic",
    ],
    [
      "with a topic in another letter case than others are compared with",
      ({ log }) => Object.assign(log, { topics: [`0x${"AB".repeat(32)}`] }),
      "log 0 of transaction 0 has a malformed topic",
    ],
    [
      "with a log of more topics than the EVM has instructions for",
      ({ log }) => Object.assign(log, { topics: Array(5).fill(OTHER_HASH) }),
      "log 0 of transaction 0 has 5 topics",
    ],
    [
      "with two withdrawals of one index",
      ({ block }) =>
        Object.assign(block, { withdrawals: Array(2).fill({ index: "0x1", address: token }) }),
      "two withdrawals have one index",
    ],
    [
      "with a withdrawal to no address",
      ({ block }) =>
        Object.assign(block, { withdrawals: [{ index: "0x1", address: token.slice(0, -2) }] }),
      "a withdrawal has a malformed receiver",
    ],
    [
      "with an inner call of nobody",
      ({ trace }) => inner(trace.frame, { from: "0x" }),
      "trace 0 has a frame with a malformed address",
    ],
    [
      "with an inner call to no address",
      ({ trace }) => inner(trace.frame, { to: "12" }),
      "trace 0 has a frame with a malformed address",
    ],
    [
      "with a creation whose code is no bytes",
      ({ trace }) => inner(trace.frame, { type: "create2", output: "0xzz" }),
      "trace 0 has a frame with malformed code",
    ],
    [
      "with data that is no bytes",
      ({ log }) => Object.assign(log, { data: "0x1" }),
      "log 0 of transaction 0 has malformed data",
    ],
    [
      "with logs in another order",
      ({ receipt }) => receipt.logs.reverse(),
      "log 1 is out of order within its transaction",
    ],
    [
      "with logs of one number",
      ({ receipt, log }) => Object.assign(receipt, { logs: [log, log] }),
      "log 1 is out of order within its transaction",
    ],
    [
      "with a log without a number",
      ({ log }) => Object.assign(log, { logIndex: null }),
      "quantity null is not a safe integer",
    ],
    [
      "without traces of its transactions",
      ({ fetched }) => Object.assign(fetched, { traces: [] }),
      "3 transactions but 0 traces",
    ],
    [
      "with a trace of another transaction beside a state-sync transaction",
      ({ fetched, block, trace }) => {
        const { transaction, receipt } = stateSyncOf(block, 4);
        block.transactions.push(transaction);
        fetched.receipts.push(receipt);
        trace["transactionHash"] = OTHER_HASH;
      },
      "trace 0 belongs to another transaction",
    ],
    [
      "with a trace of another transaction",
      ({ trace }) => Object.assign(trace, { transactionHash: OTHER_HASH }),
      "trace 0 belongs to another transaction",
    ],
    [
      "with a nameless trace of another sender",
      ({ trace }) => {
        trace["transactionHash"] = null;
        trace.frame["from"] = token;
      },
      "trace 0 has another sender",
    ],
    ...(["to", "input"] as const).map<[string, Spoil, string]>((field) => [
      `with a nameless trace with another ${field}`,
      ({ trace }) => {
        trace["transactionHash"] = null;
        trace.frame[field] = token;
      },
      "trace 0 is of another call",
    ]),
    [
      "with a receipt without logs",
      ({ receipt }) => Object.assign(receipt, { logs: null }),
      "the node's answer for block 1 is wrong",
    ],
    [
      "with a receipt without gas",
      ({ receipt }) => Object.assign(receipt, { cumulativeGasUsed: null }),
      "quantity null is not a safe integer",
    ],
  ])("%s is refused", (_, spoil, reason) => {
    expect(verdictOn(spoil)).toContain(reason);
  });

  it.each<[string, Spoil, string]>([
    ["whose bloom has another bit", ({ block }) => flipBloom(block), "bloom"],
    ["without a bloom", ({ block }) => Object.assign(block, { logsBloom: null }), "bloom"],
    [
      "with logs and no bloom",
      ({ block, fetched }) => {
        for (const part of [block, ...fetched.receipts]) {
          Object.assign(part, { logsBloom: `0x${"00".repeat(256)}` });
        }
      },
      "bloom",
    ],
    [
      "with an uncle too few",
      ({ block }) => Object.assign(block, { uncles: [OTHER_HASH] }),
      "no-uncle",
    ],
    [
      "with a bloom and no logs",
      ({ fetched, receipt }) =>
        Object.assign(fetched.receipts[1] ?? {}, { logsBloom: receipt.logsBloom }),
      "bloom",
    ],
    [
      "with a receipt without a bloom",
      ({ fetched }) => Object.assign(fetched.receipts[1] ?? {}, { logsBloom: null }),
      "bloom",
    ],
    [
      "whose gas is not that of its receipts",
      ({ block }) => Object.assign(block, { gasUsed: "0x1" }),
      "cumulative-gas",
    ],
    [
      "with a receipt whose gas is not its part of the sum",
      ({ receipt }) => Object.assign(receipt, { gasUsed: "0x1" }),
      "cumulative-gas",
    ],
    [
      "whose gas falls",
      ({ fetched }) => Object.assign(fetched.receipts[1] ?? {}, { cumulativeGasUsed: "0x0" }),
      "cumulative-gas",
    ],
    ["without its first log", ({ receipt }) => receipt.logs.shift(), "log-index"],
    [
      "with logs that are numbered anew in each transaction",
      ({ fetched }) => {
        for (const [index, log] of (fetched.receipts[2]?.logs ?? []).entries()) {
          Object.assign(log, { logIndex: `0x${index}` });
        }
      },
      "log-index",
    ],
    [
      "with a trace that names its transaction and another sender",
      ({ trace }) => Object.assign(trace.frame, { from: token }),
      "odd-field",
    ],
    [
      "with a trace that creates another contract than its receipt says",
      ({ transaction, receipt, trace }) => {
        Object.assign(transaction, { to: null });
        Object.assign(receipt, { to: null, contractAddress: token });
        Object.assign(trace.frame, { type: "create", to: ZERO_ADDRESS });
      },
      "odd-field",
    ],
    ...(["blockHash", "transactionIndex"] as const).flatMap<[string, Spoil, string]>((field) => [
      [
        `with a transaction without ${field}`,
        ({ transaction }) => Object.assign(transaction, { [field]: null }),
        "odd-field",
      ],
      [
        `with a receipt without ${field}`,
        ({ receipt }) => Object.assign(receipt, { [field]: undefined }),
        "odd-field",
      ],
    ]),
    ...(["blockHash", "transactionHash"] as const).map<[string, Spoil, string]>((field) => [
      `with a log of ${field} zero`,
      ({ log }) => Object.assign(log, { [field]: ZERO_HASH }),
      "odd-field",
    ]),
  ])("%s is odd", (_, spoil, kind) => {
    expect(verdictOn(spoil)).toEqual([kind]);
  });

  it("tells each kind once", () => {
    const spoil: Spoil = ({ fetched }) => {
      for (const receipt of fetched.receipts) {
        Object.assign(receipt, { logsBloom: null, gasUsed: "0x1", blockHash: ZERO_HASH });
      }
    };
    expect(verdictOn(spoil)).toEqual(["odd-field", "cumulative-gas", "bloom"]);
  });
});

function flipBloom(block: { logsBloom: string }): void {
  const last = Number.parseInt(block.logsBloom.slice(-1), 16) ^ 1;
  block.logsBloom = block.logsBloom.slice(0, -1) + last.toString(16);
}
