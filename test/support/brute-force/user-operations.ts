import { type Address, type Hex, size, slice, zeroAddress } from "viem";
import type { OracleLog } from "../oracle/decode.ts";
import type { Oracle } from "../oracle/oracle.ts";
import { USER_OPERATION } from "../world/events.ts";
import {
  addressOf,
  blockFilter,
  type Dialect,
  hashOf,
  isAscending,
  type Parameters,
  pageOf,
  paging,
  WINDOW_TEXT,
} from "./parameters.ts";
import { type Answerer, fail, list, type WireAnswer } from "./wire.ts";

const NONE = {
  blockscout: "No user operations found",
  etherscan: "No records found",
} as const;

function operationsOf({ logs, blocks, transactions }: Oracle) {
  const isOperation = ({ topics, data }: OracleLog) =>
    topics[0] === USER_OPERATION && topics.length === 4 && size(data) === 128;
  return logs.filter(isOperation).map((log) => {
    const [, userOpHash, sender, paymaster] = log.topics as [Hex, Hex, Hex, Hex];
    const block = blocks.find(({ number }) => number === log.blockNumber);
    const transaction = transactions.find(
      (each) =>
        each.blockNumber === log.blockNumber && each.transactionIndex === log.transactionIndex,
    );
    const word = (index: number) => BigInt(slice(log.data, 32 * index, 32 * (index + 1)));
    const payer = slice(paymaster, 12);
    return {
      userOpHash,
      sender: slice(sender, 12),
      paymaster: payer === zeroAddress ? "" : payer,
      bundler: transaction?.from as Address,
      entryPoint: log.address,
      entryPointVersion: "",
      nonce: String(word(0)),
      isError: word(1) === 0n ? "1" : "0",
      actualGasCost: String(word(2)),
      actualGasUsed: String(word(3)),
      transactionHash: transaction?.hash as Hex,
      logIndex: String(log.logIndex),
      blockNumber: String(log.blockNumber),
      blockHash: block?.hash as Hex,
      timeStamp: String(block?.timestamp),
    };
  });
}

type Row = ReturnType<typeof operationsOf>[number];

/** The condition of `entrypoint`, or the complaint about it. */
function entryPointFilter(
  parameters: Parameters,
  dialect: Dialect,
): WireAnswer | ((row: Row) => boolean) {
  const text = parameters.get("entrypoint");
  const wanted = addressOf(text ?? "");
  if (text !== undefined && !wanted) return fail(dialect, "Invalid entrypoint format");
  return ({ entryPoint }) => !wanted || entryPoint === wanted;
}

/** User operations of an account, a paymaster or a bundler. */
export const userops: Answerer = ({ oracle, dialect, parameters }) => {
  const page = paging(parameters, { offset: 10_000 });
  if (page === "too large") return fail(dialect, WINDOW_TEXT);
  const text = parameters.get("address");
  if (text === undefined) return fail(dialect, "Query parameter 'address' is required");
  const address = addressOf(text);
  if (!address) return fail(dialect, "Invalid address format");
  const role = parameters.get("role") ?? "sender";
  if (role !== "sender" && role !== "paymaster" && role !== "bundler") {
    return fail(dialect, "Invalid role");
  }
  const isOfEntryPoint = entryPointFilter(parameters, dialect);
  if (typeof isOfEntryPoint === "object") return isOfEntryPoint;
  const inBlocks = blockFilter(parameters);
  const found = operationsOf(oracle).filter(
    (row) => row[role] === address && isOfEntryPoint(row) && inBlocks(Number(row.blockNumber)),
  );
  if (!isAscending(parameters, dialect)) found.reverse();
  return list(dialect, pageOf(found, page), NONE);
};

/** User operations of a transaction, or that of a hash. */
export const listuserops: Answerer = ({ oracle, dialect, parameters }) => {
  const page = paging(parameters, { offset: 100, maximum: 1000 });
  if (page === "too large") return fail(dialect, WINDOW_TEXT);
  for (const name of ["txhash", "userophash"]) {
    const text = parameters.get(name);
    if (text !== undefined && !hashOf(text)) return fail(dialect, `Invalid ${name} format`);
  }
  const isOfEntryPoint = entryPointFilter(parameters, dialect);
  if (typeof isOfEntryPoint === "object") return isOfEntryPoint;
  const transaction = hashOf(parameters.get("txhash") ?? "");
  const operation = hashOf(parameters.get("userophash") ?? "");
  if (!transaction && !operation) {
    return fail(dialect, "Required query parameters missing: txhash or userophash");
  }
  const found = operationsOf(oracle).filter((row) =>
    transaction ? row.transactionHash === transaction : row.userOpHash === operation,
  );
  const rows = pageOf(found.filter(isOfEntryPoint), page);
  return list(dialect, rows, NONE);
};
