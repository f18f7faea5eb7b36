import { integer } from "./parameters.ts";
import { type Answerer, fail, type Question, succeed } from "./wire.ts";

const PACE_DISTANCES = 100;
const LAST_SECOND = 253_402_300_799n;
const FIRST_SECOND = -62_167_219_200n;

function blockNumber({ parameters }: Question): bigint | { error: string } {
  const text = parameters.get("blockno");
  if (text === undefined) return { error: "Query parameter 'blockno' is required" };
  const number = integer(text);
  return number === undefined || number < 0n || text.startsWith("-")
    ? { error: "Invalid block number" }
    : number;
}

/** Producer of a block and what the fees gave him. */
export const getblockreward: Answerer = (question) => {
  const { oracle, dialect } = question;
  const number = blockNumber(question);
  if (typeof number === "object") return fail(dialect, number.error);
  const block = oracle.blocks.find((known) => BigInt(known.number) === number);
  if (!block) return fail(dialect, "Block does not exist");
  return succeed({
    blockNumber: String(block.number),
    timeStamp: dialect === "blockscout" ? block.timestamp : String(block.timestamp),
    blockMiner: block.miner,
    blockReward: String(block.reward),
    // Without a static reward an uncle has no reward.
    uncles: block.uncles.map(({ miner }, position) => ({
      unclePosition: String(position),
      miner,
      blockreward: "0",
    })),
    uncleInclusionReward: "0",
  });
};

/** Time until a block, at the pace of the newest hundred. */
export const getblockcountdown: Answerer = (question) => {
  const { oracle, dialect } = question;
  const target = blockNumber(question);
  if (typeof target === "object") return fail(dialect, target.error);
  const head = BigInt(oracle.head.number);
  if (target <= head) return fail(dialect, "Error! Block number already pass");
  const newest = oracle.blocks.slice(-PACE_DISTANCES - 1);
  const distances = newest.length - 1;
  if (distances < 1) return fail(dialect, "Chain is indexing now, try again later");
  const seconds = Math.max(0, (newest.at(-1)?.timestamp ?? 0) - (newest[0]?.timestamp ?? 0));
  const hundredths = ((target - head) * BigInt(seconds) * 100n) / BigInt(distances);
  const tenths = (hundredths + 5n) / 10n;
  return succeed({
    CurrentBlock: String(head),
    CountdownBlock: String(target),
    RemainingBlock: String(target - head),
    EstimateTimeInSec: `${tenths / 10n}.${tenths % 10n}`,
  });
};

/** Block before or after a time. */
export const getblocknobytime: Answerer = ({ oracle, dialect, parameters }) => {
  const timestamp = parameters.get("timestamp");
  const closest = parameters.get("closest") ?? (dialect === "etherscan" ? "before" : undefined);
  if (timestamp === undefined) return fail(dialect, "Query parameter 'timestamp' is required");
  if (closest === undefined) return fail(dialect, "Query parameter 'closest' is required");
  const time = integer(timestamp);
  if (time === undefined || time < FIRST_SECOND || time > LAST_SECOND) {
    return fail(dialect, "Invalid `timestamp` param");
  }
  if (closest !== "before" && closest !== "after") return fail(dialect, "Invalid `closest` param");
  // In the order of time, not of numbers: nothing but the rules of some chains makes them one.
  const byTime = oracle.blocks.toSorted((left, right) => left.timestamp - right.timestamp);
  const block =
    closest === "before"
      ? byTime.findLast((known) => known.timestamp <= time)
      : byTime.find((known) => known.timestamp >= time);
  if (!block) return fail(dialect, "Block does not exist");
  const number = String(block.number);
  return succeed(dialect === "blockscout" ? { blockNumber: number } : number);
};

/** The head, as a connectivity check. */
export const ethBlockNumber: Answerer = ({ oracle, parameters }) => ({
  httpStatus: 200,
  body: {
    jsonrpc: "2.0",
    result: `0x${oracle.head.number.toString(16)}`,
    id: parameters.get("id") ?? 1,
  },
});

/** Fees of a UTC day. */
export const totalfees: Answerer = ({ oracle, dialect, parameters }) => {
  const date = parameters.get("date");
  if (date === undefined) return fail(dialect, "Required date input is missing.");
  const time = /^\d{4}-\d\d-\d\d$/.test(date) ? new Date(`${date}T00:00:00Z`) : undefined;
  const isDay = time && !Number.isNaN(time.getTime()) && time.toISOString().slice(0, 10) === date;
  if (!isDay) {
    const text = "An incorrect input date provided. It should be in ISO 8601 format (yyyy-mm-dd).";
    return fail(dialect, text);
  }
  const start = time.getTime() / 1000;
  const blocks = oracle.blocks.filter(
    ({ timestamp }) => timestamp >= start && timestamp < start + 86_400,
  );
  if (blocks.length === 0) return succeed(null);
  return succeed(String(blocks.reduce((sum, { fees }) => sum + fees, 0n)));
};

/** Transactions and transfers of a block by kind; a batch counts once. */
export const getblocktxnscount: Answerer = (question) => {
  const { oracle, dialect } = question;
  const number = blockNumber(question);
  if (typeof number === "object") return fail(dialect, number.error);
  const block = oracle.blocks.find((known) => BigInt(known.number) === number);
  if (!block) return fail(dialect, "Block does not exist");
  const isInBlock = ({ blockNumber: own }: { blockNumber: number }) => own === block.number;
  const transfers = oracle.transfers.filter(isInBlock);
  const ofStandard = (standard: number) =>
    transfers.filter((transfer) => transfer.standard === standard);
  return succeed({
    block: block.number,
    txsCount: block.transactionCount,
    internalTxsCount: (oracle.internalTransactions ?? []).filter(
      (entry) => isInBlock(entry) && (entry.type !== "call" || entry.value > 0n),
    ).length,
    erc20TxsCount: ofStandard(20).length,
    erc721TxsCount: ofStandard(721).length,
    erc1155TxsCount: new Set(ofStandard(1155).map(({ logIndex }) => logIndex)).size,
  });
};
