import type { OracleTransaction } from "../oracle/decode.ts";
import { addressOf, hashOf, integer } from "./parameters.ts";
import { type Answerer, fail, type Question, succeed, type WireAnswer } from "./wire.ts";

const LOGS_OF_A_PAGE = 50;
const NOT_REPEATED = ["apikey", "type", "method", "filter", "q", "sort", "order"];

/** Refuses an invalid hash; else answers with the transaction, if there is one. */
export function withHash(
  answer: (question: Question, found: OracleTransaction | undefined) => WireAnswer,
): Answerer {
  return (question) => {
    const { oracle, dialect, parameters } = question;
    const text = parameters.get("txhash");
    if (text === undefined) return fail(dialect, "Query parameter txhash is required");
    const hash = hashOf(text);
    if (!hash) return fail(dialect, "Invalid txhash format");
    return answer(
      question,
      oracle.transactions.find((known) => known.hash === hash),
    );
  };
}

/** Everything of one transaction, its logs fifty a page. */
export const gettxinfo = withHash(({ oracle, dialect, parameters }, transaction) => {
  if (!transaction) return fail(dialect, "Transaction not found");
  const { blockNumber, transactionIndex } = transaction;
  const after = integer(parameters.get("index")) ?? -1n;
  const rest = oracle.logs.filter(
    (log) =>
      log.blockNumber === blockNumber &&
      log.transactionIndex === transactionIndex &&
      log.logIndex > after,
  );
  const logs = rest.slice(0, LOGS_OF_A_PAGE);
  const repeated = Object.entries(parameters.sent).filter(([name]) => !NOT_REPEATED.includes(name));
  const next = {
    ...Object.fromEntries(repeated),
    block_number: blockNumber,
    index: logs.at(-1)?.logIndex,
    items_count: logs.length,
  };
  return succeed({
    hash: transaction.hash,
    timeStamp: String(oracle.blocks.find(({ number }) => number === blockNumber)?.timestamp),
    blockNumber: String(blockNumber),
    confirmations: String(oracle.head.number - blockNumber),
    success: transaction.succeeded === true,
    from: transaction.from,
    to: transaction.to ?? "",
    value: String(transaction.value),
    input: transaction.input,
    gasLimit: String(transaction.gas),
    gasUsed: String(transaction.gasUsed),
    gasPrice: String(transaction.gasPrice),
    logs: logs.map((log) => ({
      address: log.address,
      topics: [0, 1, 2, 3].map((index) => log.topics[index] ?? null),
      data: log.data,
      index: String(log.logIndex),
    })),
    revertReason: transaction.revertData ?? "",
    next_page_params: rest.length > logs.length ? next : null,
  });
});

/** Status of a transaction's receipt. */
export const gettxreceiptstatus = withHash((_, transaction) =>
  succeed({ status: String(transaction?.status ?? "") }),
);

/** Whether a transaction failed, and its error. */
export const getstatus = withHash((_, transaction) =>
  transaction?.succeeded === false
    ? succeed({ isError: "1", errDescription: transaction.error })
    : succeed({ isError: "0", errDescription: "" }),
);

const MOST_CONTRACTS = 10;

/** Creators of contracts, with position and transaction. */
export const getcontractcreation: Answerer = ({ oracle, dialect, parameters }) => {
  const text = parameters.get("contractaddresses");
  if (text === undefined) {
    const message = "Query parameter contractaddresses is required";
    const failure = { status: "0", message, result: message };
    return dialect === "blockscout" ? { httpStatus: 200, body: failure } : fail(dialect, message);
  }
  const items = text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
  if (items.length > MOST_CONTRACTS) {
    return fail(dialect, "A maximum of 10 contract addresses is allowed", 400);
  }
  const rows = items.flatMap((item) => {
    const address = addressOf(item);
    const creation = oracle.creations.findLast((known) => known.address === address);
    if (!creation) return [];
    const { blockNumber, transactionIndex, position } = creation;
    const transaction = oracle.transactions.find(
      (known) => known.blockNumber === blockNumber && known.transactionIndex === transactionIndex,
    );
    const entry = oracle.internalTransactions?.find(
      (known) =>
        known.blockNumber === blockNumber &&
        known.transactionIndex === transactionIndex &&
        known.position === position,
    );
    return {
      contractAddress: creation.address,
      contractCreator: transaction?.from,
      txHash: transaction?.hash,
      blockNumber: String(blockNumber),
      timestamp: String(oracle.blocks.find(({ number }) => number === blockNumber)?.timestamp),
      contractFactory: position === 0 ? "" : creation.creator,
      creationBytecode: position === 0 ? transaction?.input : entry?.input,
    };
  });
  if (rows.length === 0 && dialect === "etherscan") {
    return { httpStatus: 200, body: { status: "0", message: "No data found", result: null } };
  }
  return succeed(rows);
};
