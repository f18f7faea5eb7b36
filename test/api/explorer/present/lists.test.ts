import { describe, expect, test } from "vitest";
import { account as accounts } from "../../../../src/api/explorer/modules/account/balances.ts";
import { inclusionReward, uncleReward } from "../../../../src/api/explorer/present/block.ts";
import { presentLog } from "../../../../src/api/explorer/present/log.ts";
import {
  internalTransaction,
  tokenTransferOf,
  transaction as transactions,
} from "../../../../src/api/explorer/present/transaction.ts";
import type { TransactionEntry } from "../../../../src/store/lists/address-transactions.ts";
import type { InternalTransactionEntry } from "../../../../src/store/lists/internal-transactions.ts";
import type { TokenTransferEntry } from "../../../../src/store/lists/token-transfers.ts";

// Records of lists in each dialect, by the rules of docs/wire.md and docs/clients.md.

const HASH = `0x${"ab".repeat(32)}` as const;
const [A, B, C] = [1, 2, 3].map((n) => `0x${String(n).repeat(40)}` as const) as [
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
];
const CALL = {
  selector: "0xa9059cbb",
  functionName: "transfer(address to, uint256 amount)",
} as const;

const transaction: TransactionEntry = {
  blockNumber: 18_204,
  blockHash: HASH,
  timestampSeconds: 1_751_500_812,
  confirmations: 4,
  transactionIndex: 3,
  hash: HASH,
  from: A,
  to: B,
  createdContract: null,
  nonce: "7",
  value: "25",
  gas: "60000",
  gasPrice: "31",
  gasUsed: "51000",
  cumulativeGasUsed: "91000",
  status: 1,
  succeeded: true,
  input: "0xa9059cbb00",
  mayBeNamed: false,
};

describe("a transaction", () => {
  test("is told in decimal text", () => {
    expect(transactions.blockscout.present({ ...transaction, call: CALL })).toEqual({
      blockNumber: "18204",
      timeStamp: "1751500812",
      hash: HASH,
      nonce: "7",
      blockHash: HASH,
      transactionIndex: "3",
      from: A,
      to: B,
      value: "25",
      gas: "60000",
      gasPrice: "31",
      isError: "0",
      txreceipt_status: "1",
      input: "0xa9059cbb00",
      contractAddress: "",
      cumulativeGasUsed: "91000",
      gasUsed: "51000",
      confirmations: "4",
      methodId: "0xa9059cbb",
    });
  });

  test("has the name of what it calls in Etherscan's dialect only, empty where it is unknown", () => {
    expect(transactions.etherscan.present({ ...transaction, call: CALL })).toHaveProperty(
      "functionName",
      CALL.functionName,
    );
    expect(transactions.etherscan.present(transaction)).toHaveProperty("functionName", "");
    const inBlockscout = transactions.blockscout.present({ ...transaction, call: CALL });
    expect(inBlockscout).not.toHaveProperty("functionName");
  });

  test("that creates has no receiver, and no method", () => {
    const creation = { ...transaction, to: null, createdContract: C };
    expect(transactions.etherscan.present(creation)).toMatchObject({
      to: "",
      contractAddress: C,
      methodId: "0x",
    });
  });

  test.each([
    [{ status: 1, succeeded: true }, ["0", "1"], ["0", "1"]],
    [{ status: 0, succeeded: false }, ["1", "0"], ["1", "0"]],
    // Before Byzantium: only a trace shows the outcome.
    [{ status: null, succeeded: true }, ["0", "1"], ["0", ""]],
    [{ status: null, succeeded: false }, ["1", "0"], ["1", ""]],
    [{ status: null, succeeded: null }, ["1", "0"], ["0", ""]],
  ])("with %o failed or did not", (fields, blockscout, etherscan) => {
    const statusOf = (dialect: "blockscout" | "etherscan") => {
      const record = transactions[dialect].present({ ...transaction, ...fields });
      return [record["isError"], record["txreceipt_status"]];
    };
    expect([statusOf("blockscout"), statusOf("etherscan")]).toEqual([blockscout, etherscan]);
  });
});

const internal: InternalTransactionEntry = {
  blockNumber: 5,
  timestampSeconds: 9,
  transactionIndex: 0,
  transactionHash: HASH,
  position: 2,
  traceAddress: [0, 1],
  type: "call",
  callType: "delegatecall",
  from: A,
  to: B,
  createdContract: null,
  value: "70",
  gas: "8",
  gasUsed: "6",
  input: "0x01",
  error: null,
  effective: true,
};

describe("an internal transaction", () => {
  const shared = {
    blockNumber: "5",
    timeStamp: "9",
    from: A,
    to: B,
    value: "70",
    contractAddress: "",
    transactionHash: HASH,
    index: "2",
    input: "0x01",
    type: "call",
    callType: "delegatecall",
    gas: "8",
    gasUsed: "6",
    isError: "0",
    errCode: "",
  };

  test("has its path and the hash once more in Etherscan's dialect", () => {
    expect(internalTransaction.blockscout.present(internal)).toEqual(shared);
    expect(internalTransaction.etherscan.present(internal)).toEqual({
      ...shared,
      hash: HASH,
      traceId: "0_1",
    });
  });

  test.each(["create", "create2"])("that is a %s has neither receiver nor input", (type) => {
    const row = { ...internal, type, callType: null, createdContract: C };
    expect(internalTransaction.blockscout.present(row)).toMatchObject({
      to: "",
      input: "",
      callType: "",
      contractAddress: C,
    });
  });

  test("has the name of what it calls where that is given, also when it is empty", () => {
    expect(internalTransaction.blockscout.present({ ...internal, functionName: "f()" })).toEqual({
      ...shared,
      functionName: "f()",
    });
    expect(
      internalTransaction.blockscout.present({ ...internal, functionName: "" }),
    ).toHaveProperty("functionName", "");
    expect(internalTransaction.blockscout.present(internal)).toHaveProperty(
      "functionName",
      undefined,
    );
  });

  test("says what the tracer left out", () => {
    const row = { ...internal, to: null, gas: null, gasUsed: null, input: null };
    const told = { to: "", gas: "0", input: "" };
    expect(internalTransaction.blockscout.present(row)).toMatchObject({ ...told, gasUsed: "" });
    expect(internalTransaction.etherscan.present(row)).toMatchObject({ ...told, gasUsed: "0" });
  });

  test.each([
    [{ error: null, effective: true }, "0", ""],
    [{ error: "out of gas", effective: false }, "1", "out of gas"],
    [{ error: null, effective: false }, "1", "Parent reverted"],
  ])("with %o", (fields, isError, errCode) => {
    const row = { ...internal, ...fields };
    expect(internalTransaction.blockscout.present(row)).toMatchObject({ isError, errCode });
  });
});

const transfer: TokenTransferEntry = {
  blockNumber: 5,
  blockHash: HASH,
  timestampSeconds: 9,
  confirmations: 0,
  logIndex: 3,
  batchIndex: 0,
  from: A,
  to: B,
  token: C,
  tokenId: "417",
  amount: "30",
  tokenName: "Pearl",
  tokenSymbol: "PRL",
  tokenDecimals: 6,
  transactionIndex: 1,
  transactionHash: HASH,
  transactionTo: B,
  nonce: "2",
  gas: "10",
  gasPrice: "11",
  gasUsed: "12",
  cumulativeGasUsed: "13",
  input: "0xa9059cbb",
  mayBeNamed: true,
};

describe("a token transfer", () => {
  test("has what its transaction has, and its token", () => {
    const shared = {
      blockNumber: "5",
      timeStamp: "9",
      hash: HASH,
      nonce: "2",
      blockHash: HASH,
      from: A,
      contractAddress: C,
      to: B,
      value: "30",
      tokenName: "Pearl",
      tokenSymbol: "PRL",
      tokenDecimal: "6",
      transactionIndex: "1",
      gas: "10",
      gasPrice: "11",
      gasUsed: "12",
      cumulativeGasUsed: "13",
      input: "0xa9059cbb",
      confirmations: "0",
      functionName: CALL.functionName,
    };
    expect(tokenTransferOf(20).blockscout.present({ ...transfer, call: CALL })).toEqual({
      ...shared,
      methodId: "a9059cbb",
    });
    expect(tokenTransferOf(20).etherscan.present({ ...transfer, call: CALL })).toEqual({
      ...shared,
      methodId: "0xa9059cbb",
      logIndex: "3",
    });
  });

  test.each([
    [20, { value: "30" }, { value: "0" }],
    [721, { tokenID: "417" }, { tokenID: "" }],
    [1155, { tokenID: "417", tokenValue: "30" }, { tokenID: "", tokenValue: "0" }],
    [404, { tokenID: "417", value: "30" }, { tokenID: "", value: "0" }],
  ] as const)("of ERC-%i has the amounts of its standard", (standard, whole, bare) => {
    const amountsOf = (row: TokenTransferEntry) => {
      const { tokenID, tokenValue, value } = tokenTransferOf(standard).blockscout.present({
        ...row,
        call: CALL,
      }) as Record<string, unknown>;
      return JSON.parse(JSON.stringify({ tokenID, tokenValue, value }));
    };
    expect(amountsOf(transfer)).toEqual(whole);
    expect(amountsOf({ ...transfer, tokenId: null, amount: null })).toEqual(bare);
  });

  test("of an unknown token, by an unknown call", () => {
    const row = { ...transfer, tokenName: null, tokenSymbol: null, tokenDecimals: null };
    const call = { methodId: "", functionName: "" };
    const told = (dialect: "blockscout" | "etherscan", standard: 20 | 721) =>
      tokenTransferOf(standard)[dialect].present({ ...row, call: undefined });
    const unknown = { tokenName: null, tokenSymbol: null, tokenDecimal: "" };
    expect(told("blockscout", 20)).toMatchObject({ ...call, ...unknown });
    expect(told("blockscout", 721)).toMatchObject({ ...call, ...unknown });
    const empty = { tokenName: "", tokenSymbol: "" };
    expect(told("etherscan", 20)).toMatchObject({ ...call, ...empty, tokenDecimal: "" });
    expect(told("etherscan", 721)).toMatchObject({ ...call, ...empty, tokenDecimal: "0" });
  });
});

test("only Blockscout's dialect fills missing topics up, and only Etherscan's has the block's hash", () => {
  const row = {
    blockNumber: 18_204,
    blockHash: HASH,
    timestampSeconds: 16,
    logIndex: 0,
    address: A,
    topic0: HASH,
    topic1: null,
    topic2: null,
    topic3: null,
    data: "0x" as const,
    transactionHash: HASH,
    transactionIndex: 0,
    gasPrice: "31",
    gasUsed: "255",
  };
  const shared = {
    address: A,
    data: "0x",
    blockNumber: "0x471c",
    timeStamp: "0x10",
    gasPrice: "0x1f",
    gasUsed: "0xff",
    logIndex: "0x0",
    transactionHash: HASH,
    transactionIndex: "0x0",
  };
  expect(presentLog(row, "blockscout")).toEqual({ ...shared, topics: [HASH, null, null, null] });
  expect(presentLog(row, "etherscan")).toEqual({ ...shared, topics: [HASH], blockHash: HASH });
});

test("only Blockscout's dialect says that a balance is not stale", () => {
  const account = { address: A, balance: "5", known: true };
  expect(accounts.blockscout.present(account)).toEqual({ account: A, balance: "5", stale: false });
  expect(accounts.etherscan.present(account)).toEqual({ account: A, balance: "5" });
});

test("an uncle's reward falls by an eighth a block, its nephew gets a 32nd of the static reward for it", () => {
  // Yellow Paper, section 11.3: (8 + number of the uncle − number of the block) / 8 of the reward.
  const ether = 10n ** 18n;
  expect(uncleReward({ blockNumber: 100, number: 99 }, 2n * ether)).toBe((14n * ether) / 8n);
  expect(uncleReward({ blockNumber: 100, number: 94 }, 5n * ether)).toBe((10n * ether) / 8n);
  expect(inclusionReward(2, 2n * ether)).toBe(ether / 8n);
});
