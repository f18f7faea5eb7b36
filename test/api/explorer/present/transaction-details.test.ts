import { encodeAbiParameters, encodeErrorResult, encodeFunctionData, parseAbi } from "viem";
import { toEventHash } from "viem/utils";
import { describe, expect, test } from "vitest";
import { presentTransactionDetails } from "../../../../src/api/explorer/present/transaction-details.ts";
import type { VerifiedAbi } from "../../../../src/store/contracts/verified/abis.ts";
import type { TransactionLog } from "../../../../src/store/lists/logs.ts";
import type { ReadDetails, TransactionDetail } from "../../../../src/store/lists/transactions.ts";

// The part of a transaction added by `details`, from the store's rows.

type Hex = `0x${string}`;

const HASH = `0x${"ab".repeat(32)}` as const;
const address = (n: number): Hex => `0x${String(n).repeat(40)}`;
const [RECEIVER, OTHER, CREATED] = [address(1), address(2), address(3)];

const ABI = parseAbi(["function pay(uint256 amount)", "event Paid(uint256 indexed amount)"]);
const ERROR_ABI = parseAbi(["error TooPoor(uint256 missing)"]);
const PAY = encodeFunctionData({ abi: ABI, functionName: "pay", args: [7n] });
const TOO_POOR = encodeErrorResult({ abi: ERROR_ABI, errorName: "TooPoor", args: [5n] });

const transaction: TransactionDetail = {
  blockNumber: 8,
  blockHash: HASH,
  parentHash: HASH,
  timestampSeconds: 9,
  confirmations: 1,
  transactionIndex: 2,
  hash: HASH,
  from: address(4),
  to: RECEIVER,
  value: "0",
  gas: "60000",
  gasPrice: "31",
  gasUsed: "51000",
  status: 1,
  succeeded: true,
  input: PAY,
  error: null,
  revertData: null,
  traced: true,
};
const failed: TransactionDetail = { ...transaction, status: 0, succeeded: false };

const facts: ReadDetails["facts"] = {
  type: 2,
  nonce: "7",
  createdContract: null,
  maxFeePerGas: "40",
  maxPriorityFeePerGas: "3",
  baseFeePerGas: "28",
  logs: 60,
  extra: null,
};

const paid: TransactionLog = {
  logIndex: 0,
  address: RECEIVER,
  topic0: toEventHash("Paid(uint256)"),
  topic1: encodeAbiParameters([{ type: "uint256" }], [7n]),
  topic2: null,
  topic3: null,
  data: "0x",
};

const verified = (of: Hex, contractName: string, abi: unknown = ABI): VerifiedAbi => ({
  address: of,
  contractName,
  abi: JSON.stringify(abi),
  isOfDelegation: false,
});

const present = (
  abis: VerifiedAbi[],
  of: TransactionDetail = transaction,
  { reason = "0x" as Hex, logs = [] as TransactionLog[] } = {},
) => presentTransactionDetails({ facts, authorizations: [], abis }, of, logs, reason);

const uint = (name: string, value: string) => ({ name, type: "uint256", value });

test("facts are decimal text", async () => {
  expect(await present([])).toEqual({
    blockHash: HASH,
    transactionIndex: "2",
    type: "2",
    nonce: "7",
    contractAddress: "",
    maxFeePerGas: "40",
    maxPriorityFeePerGas: "3",
    baseFeePerGas: "28",
    txreceipt_status: "1",
    error: "",
    logsCount: "60",
    traced: true,
    call: null,
    revert: null,
    logs: [],
    contracts: [],
  });
});

test("facts that are not there are empty", async () => {
  const unknown = { createdContract: null, maxFeePerGas: null, maxPriorityFeePerGas: null };
  const read = {
    authorizations: [],
    facts: { ...facts, ...unknown, baseFeePerGas: null },
    abis: [],
  };
  const old = { ...transaction, status: null };
  expect(await presentTransactionDetails(read, old, [], "0x")).toMatchObject({
    contractAddress: "",
    maxFeePerGas: "",
    maxPriorityFeePerGas: "",
    baseFeePerGas: "",
    txreceipt_status: "",
  });
});

test("a call is decoded by the receiver's ABI, and by no other", async () => {
  const call = { signature: "pay(uint256)", parameters: [uint("amount", "7")] };
  expect(await present([verified(RECEIVER, "Till")])).toMatchObject({ call });
  expect(await present([verified(OTHER, "Till")])).toMatchObject({ call: null });
});

test("a creation has the contract's address, and no call", async () => {
  const read = {
    authorizations: [],
    facts: { ...facts, createdContract: CREATED },
    abis: [verified(CREATED, "Till")],
  };
  const creation = { ...transaction, to: null };
  expect(await presentTransactionDetails(read, creation, [], "0x")).toMatchObject({
    contractAddress: CREATED,
    call: null,
  });
});

describe("an error", () => {
  const revert = { signature: "TooPoor(uint256)", parameters: [uint("missing", "5")] };

  test("may be of any contract on the way", async () => {
    const abis = [verified(OTHER, "Purse", ERROR_ABI)];
    expect(await present(abis, failed, { reason: TOO_POOR })).toMatchObject({ revert });
    const creation = { ...failed, to: null };
    expect(await present(abis, creation, { reason: TOO_POOR })).toMatchObject({ revert });
  });

  test("is the receiver's where several have it", async () => {
    const renamed = parseAbi(["error TooPoor(uint256 shortage)"]);
    const abis = [verified(OTHER, "Purse", renamed), verified(RECEIVER, "Till", ERROR_ABI)];
    expect(await present(abis, failed, { reason: TOO_POOR })).toMatchObject({ revert });
  });

  test("is in the tracer's words beside it", async () => {
    const error = "execution reverted";
    expect(await present([], { ...failed, error })).toMatchObject({ error, revert: null });
  });

  test("is looked for in a failed transaction only", async () => {
    const abis = [verified(RECEIVER, "Till", ERROR_ABI)];
    for (const succeeded of [true, null]) {
      const of = { ...transaction, succeeded };
      expect(await present(abis, of, { reason: TOO_POOR })).toMatchObject({ revert: null });
    }
  });
});

test("a log is decoded by the ABI of the contract that logged, in the order of the logs", async () => {
  const logs = [{ ...paid, address: OTHER }, paid, { ...paid, topic0: null, topic1: null }];
  const { logs: decoded } = await present([verified(RECEIVER, "Till")], transaction, { logs });
  expect(decoded).toEqual([
    null,
    { signature: "Paid(uint256)", parameters: [uint("amount", "7")] },
    null,
  ]);
});

test("what does not fit into an answer is left out, the logs first", async () => {
  const note = parseAbi(["function note(string text)", "event Noted(string text)"]);
  const text = "a".repeat(400_000);
  const data = encodeAbiParameters([{ type: "string" }], [text]);
  const input = encodeFunctionData({ abi: note, functionName: "note", args: [text] });
  const noted = { ...paid, topic0: toEventHash("Noted(string)"), topic1: null, data };
  const told = await present(
    [verified(RECEIVER, "Notes", note)],
    { ...transaction, input },
    { logs: [noted] },
  );
  expect(told.call?.signature).toBe("note(string)");
  expect(told.logs).toEqual([null]);
});

test("a proxy has its own name, and that of what is behind it only where it has none", async () => {
  const delegated = { ...verified(CREATED, "Library"), isOfDelegation: true };
  const { contracts } = await present([
    verified(RECEIVER, "Proxy"),
    verified(RECEIVER, "Till"),
    verified(OTHER, "Purse"),
    delegated,
  ]);
  expect(contracts).toEqual([
    { address: RECEIVER, name: "Proxy" },
    { address: OTHER, name: "Purse" },
  ]);
});

test("the ABIs of a proxy and of what is behind it are tried in their order", async () => {
  const proxy = verified(RECEIVER, "Proxy", [{ type: "fallback", stateMutability: "payable" }]);
  const { call } = await present([proxy, verified(RECEIVER, "Till")]);
  expect(call?.signature).toBe("pay(uint256)");
});
