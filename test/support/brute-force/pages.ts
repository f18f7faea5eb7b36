import type { OracleBlock } from "../oracle/decode.ts";
import type { OracleToken } from "../oracle/oracle.ts";
import { listedTransaction } from "./account-lists.ts";
import { addressOf, blockFilter, hashOf, pageOf, paging, WINDOW_TEXT } from "./parameters.ts";
import { displayName, holdersOf, standardName } from "./token.ts";
import { withHash } from "./transaction.ts";
import { type Answerer, fail, list, type Question, succeed } from "./wire.ts";

// Requests of the pages.

const LONGEST_LIST = 1000;
const ROWS = 25;

function blockFields({ oracle }: Question, block: OracleBlock) {
  return {
    blockNumber: String(block.number),
    blockHash: block.hash,
    parentHash: block.parentHash,
    timeStamp: String(block.timestamp),
    confirmations: String(oracle.head.number - block.number),
    miner: block.miner,
    difficulty: String(block.difficulty),
    size: String(block.size),
    gasLimit: String(block.gasLimit),
    gasUsed: String(block.gasUsed),
    baseFeePerGas: String(block.baseFeePerGas ?? ""),
    txsCount: String(block.transactionCount),
    fees: String(block.fees),
    burntFees: String(block.fees - block.reward),
  };
}

/** A block by number, hash or as the newest. */
export const getblock: Answerer = (question) => {
  const { oracle, dialect, parameters } = question;
  const text = parameters.get("block");
  if (text === undefined) return fail(dialect, "Query parameter 'block' is required");
  const hash = hashOf(text);
  if (text !== "latest" && !hash && !/^[0-9]{1,15}$/.test(text)) {
    return fail(dialect, "Invalid block");
  }
  const number = text === "latest" ? oracle.head.number : Number(text);
  const block = oracle.blocks.find((known) =>
    hash ? known.hash === hash : known.number === number,
  );
  if (!block) return fail(dialect, "Block does not exist");
  return succeed({
    ...blockFields(question, block),
    withdrawals: block.withdrawals.map(({ index, validatorIndex, address, amount }) => ({
      withdrawalIndex: String(index),
      validatorIndex: String(validatorIndex),
      address,
      amount: String(amount),
    })),
    uncles: block.uncles.map((uncle) => ({
      blockNumber: String(uncle.number),
      timeStamp: String(uncle.timestamp),
      miner: uncle.miner,
    })),
  });
};

/** Blocks, the newest first. */
export const listblocks: Answerer = (question) => {
  const { oracle, dialect, parameters } = question;
  const page = paging(parameters, { offset: ROWS, maximum: LONGEST_LIST });
  if (page === "too large") return fail(dialect, WINDOW_TEXT);
  const inBlocks = blockFilter(parameters);
  const found = oracle.blocks.filter(({ number }) => inBlocks(number)).toReversed();
  const empty = { blockscout: "No blocks found", etherscan: "No records found" } as const;
  return list(
    dialect,
    pageOf(found, page).map((block) => blockFields(question, block)),
    empty,
  );
};

/** Transactions of all blocks; the newest first in either dialect. */
export const listtransactions: Answerer = ({ oracle, dialect, parameters }) => {
  const page = paging(parameters, { offset: ROWS, maximum: LONGEST_LIST });
  if (page === "too large") return fail(dialect, WINDOW_TEXT);
  const inBlocks = blockFilter(parameters);
  const found = oracle.transactions.filter(({ blockNumber }) => inBlocks(blockNumber));
  if (parameters.get("sort") !== "asc") found.reverse();
  const empty = "No transactions found";
  return list(
    dialect,
    pageOf(found, page).map((transaction) => listedTransaction(oracle, transaction, dialect)),
    { blockscout: empty, etherscan: empty },
  );
};

/** Transfers of one transaction, of every standard. */
export const listtransfers: Answerer = (question) => {
  const page = paging(question.parameters, { offset: 100, maximum: LONGEST_LIST });
  if (page === "too large") return fail(question.dialect, WINDOW_TEXT);
  return withHash(({ oracle, dialect }, transaction) => {
    const found = oracle.transfers.filter(
      ({ blockNumber, transactionIndex }) =>
        blockNumber === transaction?.blockNumber &&
        transactionIndex === transaction.transactionIndex,
    );
    const rows = pageOf(found, page).map((transfer) => {
      const token = oracle.tokens.get(transfer.token);
      return {
        logIndex: String(transfer.logIndex),
        from: transfer.from,
        to: transfer.to,
        contractAddress: transfer.token,
        tokenType: `ERC-${transfer.standard}`,
        tokenID: String(transfer.id ?? ""),
        value: transfer.standard === 721 ? "" : String(transfer.amount ?? ""),
        tokenName: displayName(token?.name) ?? "",
        tokenSymbol: displayName(token?.symbol) ?? "",
        tokenDecimal: String(token?.decimals ?? ""),
      };
    });
    const empty = {
      blockscout: "No token transfers found",
      etherscan: "No records found",
    } as const;
    return list(dialect, rows, empty);
  })(question);
};

/** A call of an unverified contract. */
export const readcontract: Answerer = ({ dialect, parameters }) => {
  const address = parameters.get("address");
  if (address === undefined) return fail(dialect, "Query parameter address is required");
  if (parameters.get("function") === undefined) {
    return fail(dialect, "Query parameter function is required");
  }
  return fail(
    dialect,
    addressOf(address) ? "Contract source code not verified" : "Invalid address hash",
  );
};

const LONGEST_NAME = 64;

function keyOf(text: string): string {
  return [...text].slice(0, LONGEST_NAME).join("").toLowerCase();
}

function compareBytes(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}

/** Tokens by the beginnings of their names and symbols. */
export const listbyname: Answerer = ({ oracle, dialect, parameters }) => {
  const page = paging(parameters, { offset: ROWS, maximum: 100 });
  if (page === "too large") return fail(dialect, WINDOW_TEXT);
  const name = parameters.get("name")?.trim();
  if (name === undefined) return fail(dialect, "Query parameter 'name' is required");
  if (name === "") return fail(dialect, "Invalid name format");
  const matchOf = (token: OracleToken) =>
    [token.name, token.symbol]
      .map((bytes) => keyOf(displayName(bytes) ?? ""))
      .filter((key) => key.startsWith(keyOf(name)))
      .sort(compareBytes)[0];
  const found = [...oracle.tokens.values()]
    .flatMap((token) => {
      const key = matchOf(token);
      return key === undefined ? [] : [{ token, key }];
    })
    .sort(
      (left, right) =>
        compareBytes(left.key, right.key) ||
        left.token.firstBlock - right.token.firstBlock ||
        compareBytes(left.token.address, right.token.address),
    );
  const rows = pageOf(found, page).map(({ token }) => ({ ...namedRow(token), nametag: "" }));
  return list(dialect, rows, { blockscout: "No contracts found", etherscan: "No records found" });
};

const namedRow = (token: OracleToken) => ({
  address: token.address,
  type: standardName(token),
  tokenName: displayName(token.name) ?? "",
  tokenSymbol: displayName(token.symbol) ?? "",
  contractName: "",
});

/** The tokens among addresses. */
export const listnames: Answerer = ({ oracle, dialect, parameters }) => {
  const given = parameters.get("addresses");
  if (given === undefined) return fail(dialect, "Query parameter 'addresses' is required");
  const addresses = given.split(",").map((item) => item.trim());
  if (!addresses.every((item) => /^0x[0-9a-f]{40}$/i.test(item))) {
    return fail(dialect, "Invalid address format");
  }
  const wanted = [...new Set(addresses.map((item) => item.toLowerCase()))];
  const rows = wanted.flatMap((address) => {
    const token = oracle.tokens.get(address as OracleToken["address"]);
    return token ? [namedRow(token)] : [];
  });
  return list(dialect, rows, { blockscout: "No contracts found", etherscan: "No records found" });
};

/** Tokens, newest first. */
export const listtokens: Answerer = ({ oracle, dialect, parameters }) => {
  const page = paging(parameters, { offset: ROWS, maximum: LONGEST_LIST });
  if (page === "too large") return fail(dialect, WINDOW_TEXT);
  const found = [...oracle.tokens.values()].sort(
    (left, right) =>
      right.firstBlock - left.firstBlock || compareBytes(right.address, left.address),
  );
  const rows = pageOf(found, page).map((token) => ({
    ...namedRow(token),
    tokenDecimal: String(token.decimals ?? ""),
    holdersCount: String(holdersOf(oracle, token.address).length),
    firstBlock: String(token.firstBlock),
  }));
  return list(dialect, rows, { blockscout: "No tokens found", etherscan: "No records found" });
};
