import type { Address } from "viem";
import type { OracleBlock, OracleTransaction, OracleTransfer } from "../oracle/decode.ts";
import type { InternalTransaction } from "../oracle/frames.ts";
import type { Oracle } from "../oracle/oracle.ts";
import {
  addressOf,
  blockFilter,
  type Dialect,
  hashOf,
  isAscending,
  pageOf,
  paging,
  sideFilter,
  timeFilter,
  WINDOW_TEXT,
} from "./parameters.ts";
import { partyFilter } from "./parties.ts";
import { displayName } from "./token.ts";
import { type Answerer, fail, list, type Question } from "./wire.ts";

const NO_TRANSACTIONS = "No transactions found";
const MOST_OF_ONE_TRANSACTION = 10_000;

function blockOf(oracle: Oracle, number: number): OracleBlock {
  return oracle.blocks.find((block) => block.number === number) as OracleBlock;
}

function transactionOf(
  oracle: Oracle,
  { blockNumber, transactionIndex }: { blockNumber: number; transactionIndex: number },
): OracleTransaction {
  return oracle.transactions.find(
    (transaction) =>
      transaction.blockNumber === blockNumber && transaction.transactionIndex === transactionIndex,
  ) as OracleTransaction;
}

/** Common fields of a transaction in txlist and the token lists. */
function transactionFields(oracle: Oracle, transaction: OracleTransaction) {
  const block = blockOf(oracle, transaction.blockNumber);
  return {
    blockNumber: String(block.number),
    timeStamp: String(block.timestamp),
    hash: transaction.hash,
    nonce: String(transaction.nonce),
    blockHash: block.hash,
    transactionIndex: String(transaction.transactionIndex),
    gas: String(transaction.gas),
    gasPrice: String(transaction.gasPrice),
    input: transaction.input,
    gasUsed: String(transaction.gasUsed),
    cumulativeGasUsed: String(transaction.cumulativeGasUsed),
    confirmations: String(oracle.head.number - block.number),
  };
}

/** A transaction in a list, of contracts that are not verified. */
export function listedTransaction(
  oracle: Oracle,
  transaction: OracleTransaction,
  dialect: Dialect,
) {
  const isEtherscan = dialect === "etherscan";
  const succeeded = transaction.succeeded ?? isEtherscan;
  const hasStatus = transaction.status !== null || !isEtherscan;
  const isCall = transaction.to !== null && transaction.input.length >= 10;
  return {
    ...transactionFields(oracle, transaction),
    from: transaction.from,
    to: transaction.to ?? "",
    value: String(transaction.value),
    isError: succeeded ? "0" : "1",
    txreceipt_status: hasStatus ? (succeeded ? "1" : "0") : "",
    contractAddress: transaction.created ?? "",
    methodId: isCall ? transaction.input.slice(0, 10) : "0x",
    ...(isEtherscan && { functionName: "" }),
  };
}

/** Returns whether an address is on the requested side. */
function takesPart(
  entry: { from: Address; to: Address | null; created: Address | null },
  address: Address | undefined,
  side: "from" | "to" | undefined,
): boolean {
  const sends = entry.from === address;
  const receives = entry.to === address || entry.created === address;
  return (side !== "to" && sends) || (side !== "from" && receives);
}

/** Transactions of an address. */
export const txlist: Answerer = (question) => {
  const { oracle, dialect, parameters } = question;
  const page = paging(parameters, { offset: 10_000 });
  if (page === "too large") return fail(dialect, WINDOW_TEXT);
  const text = parameters.get("address");
  const address = text === undefined ? undefined : addressOf(text);
  if (text !== undefined && !address) return fail(dialect, "Invalid address format");
  const parties = partyFilter(question);
  if (typeof parties === "object") return parties;
  if (!address && !parties) return fail(dialect, "Query parameter 'address' is required");
  const inBlocks = blockFilter(parameters);
  const inTime = timeFilter(parameters);
  const found = oracle.transactions.filter(
    (transaction) =>
      (parties?.(transaction) ?? takesPart(transaction, address, sideFilter(parameters))) &&
      inBlocks(transaction.blockNumber) &&
      inTime(blockOf(oracle, transaction.blockNumber).timestamp),
  );
  if (!isAscending(parameters, dialect)) found.reverse();
  return list(
    dialect,
    pageOf(found, page).map((transaction) => listedTransaction(oracle, transaction, dialect)),
    { blockscout: NO_TRANSACTIONS, etherscan: NO_TRANSACTIONS },
  );
};

function listedInternal(oracle: Oracle, entry: InternalTransaction, dialect: Dialect) {
  const { hash } = transactionOf(oracle, entry);
  const isCreation = entry.type.startsWith("create");
  return {
    blockNumber: String(entry.blockNumber),
    timeStamp: String(blockOf(oracle, entry.blockNumber).timestamp),
    transactionHash: hash,
    index: String(entry.position),
    from: entry.from,
    to: entry.to ?? "",
    value: String(entry.value),
    contractAddress: entry.created ?? "",
    input: isCreation ? "" : entry.input,
    type: entry.type,
    callType: entry.callType ?? "",
    gas: String(entry.gas ?? 0n),
    gasUsed: entry.gasUsed === null ? (dialect === "etherscan" ? "0" : "") : String(entry.gasUsed),
    isError: entry.effective ? "0" : "1",
    errCode: entry.error ?? (entry.effective ? "" : "Parent reverted"),
    ...(dialect === "etherscan" && { hash, traceId: entry.traceAddress.join("_") }),
  };
}

/** Internal transactions of an address, of a transaction, or of a range of blocks. */
export const txlistinternal: Answerer = (question) => {
  const { oracle, dialect, parameters } = question;
  const page = paging(parameters, { offset: 10_000 });
  if (page === "too large") return fail(dialect, WINDOW_TEXT);
  const addressText = parameters.get("address");
  const hashText = parameters.get("txhash");
  const all = parameters.get("include_zero_value")?.toLowerCase() === "true";
  const inBlocks = blockFilter(parameters);
  let found = (oracle.internalTransactions ?? []).filter(
    ({ type, value }) => all || type !== "call" || value > 0n,
  );
  let range = page;
  const address = addressText === undefined ? undefined : addressOf(addressText);
  if (addressText !== undefined && !address) return fail(dialect, "Invalid address format");
  const parties = partyFilter(question);
  if (typeof parties === "object") return parties;
  if (parties) {
    found = found.filter((entry) => parties(entry) && inBlocks(entry.blockNumber));
  } else if (address) {
    const side = sideFilter(parameters);
    found = found.filter((entry) => takesPart(entry, address, side) && inBlocks(entry.blockNumber));
  } else if (hashText === undefined) {
    found = found.filter(({ blockNumber }) => inBlocks(blockNumber));
  } else {
    const hash = hashOf(hashText);
    if (!hash) return fail(dialect, "Invalid txhash format");
    found = found.filter((entry) => transactionOf(oracle, entry).hash === hash);
    range = { skip: 0, limit: MOST_OF_ONE_TRANSACTION };
  }
  if (!isAscending(parameters, dialect)) found.reverse();
  return list(
    dialect,
    pageOf(found, range).map((entry) => ({
      ...listedInternal(oracle, entry, dialect),
      ...(parameters.get("names")?.toLowerCase() === "true" && { functionName: "" }),
    })),
    { blockscout: "No internal transactions found", etherscan: NO_TRANSACTIONS },
  );
};

function amountFields({ standard, id, amount }: OracleTransfer): Record<string, string> {
  if (standard === 20) return { value: String(amount) };
  if (standard === 721) return { tokenID: String(id) };
  if (standard === 1155) return { tokenID: String(id), tokenValue: String(amount) };
  return { tokenID: id === null ? "" : String(id), value: String(amount ?? 0n) };
}

function listedTransfer(oracle: Oracle, transfer: OracleTransfer, dialect: Dialect) {
  const token = oracle.tokens.get(transfer.token);
  const unknown = dialect === "blockscout" ? null : "";
  const decimals =
    token?.decimals ?? (dialect === "etherscan" && transfer.standard === 721 ? 0 : "");
  return {
    ...transactionFields(oracle, transactionOf(oracle, transfer)),
    from: transfer.from,
    to: transfer.to,
    contractAddress: transfer.token,
    tokenName: displayName(token?.name) ?? unknown,
    tokenSymbol: displayName(token?.symbol) ?? unknown,
    tokenDecimal: String(decimals),
    methodId: "",
    functionName: "",
    ...amountFields(transfer),
    ...(dialect === "etherscan" && { logIndex: String(transfer.logIndex) }),
  };
}

/** Transfers of tokens of one standard, by party, by token, or by both. */
export function transferList(standard: OracleTransfer["standard"]): Answerer {
  return (question: Question) => {
    const { oracle, dialect, parameters } = question;
    const page = paging(parameters, { offset: 10_000 });
    if (page === "too large") return fail(dialect, WINDOW_TEXT);
    const addressText = parameters.get("address");
    const tokenText = parameters.get("contractaddress");
    const address = addressText === undefined ? undefined : addressOf(addressText);
    const token = tokenText === undefined ? undefined : addressOf(tokenText);
    if (addressText !== undefined && !address) return fail(dialect, "Invalid address format");
    if (tokenText !== undefined && !token) return fail(dialect, "Invalid contract address format");
    const parties = partyFilter(question);
    if (typeof parties === "object") return parties;
    if (!address && !token && !parties) {
      return fail(dialect, "Query parameter address or contractaddress is required");
    }
    const inBlocks = blockFilter(parameters);
    const found = oracle.transfers.filter(
      (transfer) =>
        transfer.standard === standard &&
        (!parties || parties(transfer)) &&
        (!address || transfer.from === address || transfer.to === address) &&
        (!token || transfer.token === token) &&
        inBlocks(transfer.blockNumber),
    );
    if (!isAscending(parameters, dialect)) found.reverse();
    return list(
      dialect,
      pageOf(found, page).map((transfer) => listedTransfer(oracle, transfer, dialect)),
      { blockscout: "No token transfers found", etherscan: NO_TRANSACTIONS },
    );
  };
}
