import type { RawBlock, RawReceipt, RawTransaction } from "../../../src/chain/types.ts";
import type { Address } from "../../../src/core/evm/address.ts";
import { type Hex, hexFromBytes } from "../../../src/core/evm/hex.ts";
import { quantity } from "../../../src/core/evm/quantity.ts";
import { createRandom, type Random } from "../../support/world/random.ts";
import { createAccounts } from "./accounts.ts";
import { createBlooms, emptyBloom } from "./bloom.ts";
import { around, randomBytes, skewed, word } from "./draws.ts";
import { createEvents } from "./events.ts";
import { drawTrace, type Frame } from "./frames.ts";
import type { ChainShape } from "./shape.ts";
import { createTokens, drawToken, type LogBody, type Token } from "./tokens.ts";
import { drawTransaction, type TransactionDraft } from "./transactions.ts";

/** A block with all of a node's fields. */
export interface BenchBlock {
  number: number;
  block: RawBlock;
  receipts: RawReceipt[];
  /** As `debug_traceBlockByHash` gives them. */
  traces: { txHash: Hex; result: Frame }[];
}

/** Contents of the blocks so far: the row counts of a database that indexed them. */
export interface ChainTotals {
  transactions: number;
  logs: number;
  tokenTransfers: number;
  internalTransactions: number;
}

/** A chain that grows block by block, the same for the same shape. */
export interface BlockSequence {
  /** The next block, from number 0 on. */
  next(): BenchBlock;
  tokens: readonly Token[];
  totals: ChainTotals;
}

const GENESIS_SECONDS = 1_700_000_000;
const BLOCK_SECONDS = 12;
const BASE_FEE = 5_000_000_000;
const GAS_LIMIT = 45_000_000;
const OTHER_CONTRACTS = 1_000;
const MINERS = 50;
const WITHDRAWAL_GWEI = 16_000_000;

/** Creates the chain of a shape at its beginning. */
export function createBlocks(shape: ChainShape): BlockSequence {
  const random = createRandom(shape.seed);
  const accounts = createAccounts(shape, random);
  const tokens = createTokens(shape, random, accounts);
  const others = Array.from({ length: OTHER_CONTRACTS }, () => randomBytes(random, 20));
  // Every third of the busy ones is not a token.
  const contracts = tokens.flatMap(({ address }, index) =>
    index % 2 === 0 ? [address] : [address, others[index % OTHER_CONTRACTS] as Address],
  );
  const drawEvent = createEvents(random, accounts, [...contracts, ...others]);
  const blooms = createBlooms();
  const nonces: number[] = [];
  const totals = { transactions: 0, logs: 0, tokenTransfers: 0, internalTransactions: 0 };
  const contract = () => contracts[skewed(random, contracts.length)] as Address;
  let number = -1;
  let parentHash: Hex = word(0);
  let withdrawalIndex = 0;

  function drawLog(): LogBody {
    if (!random.chance(shape.transferShare)) return drawEvent();
    const { log, movements } = drawToken(shape, random, tokens).transfer();
    totals.tokenTransfers += movements;
    return log;
  }

  /** Transactions of a block with the numbers of logs that they emit. */
  function drawTransactions(): { draft: TransactionDraft; logs: number }[] {
    const count = number === 0 ? 0 : shape.transactionsPerBlock;
    const drafts = Array.from({ length: count }, () => ({
      draft: drawTransaction(shape, random, { accounts, contracts, nonces, baseFee: BASE_FEE }),
      logs: 0,
    }));
    const emitting = drafts.filter(({ draft }) => draft.kind === "call" && draft.succeeded);
    const logs = emitting.length === 0 ? 0 : Math.round(count * shape.logsPerTransaction);
    for (let log = 0; log < logs; log++) random.pick(emitting).logs++;
    return drafts;
  }

  function drawWithdrawals(): RawBlock["withdrawals"] {
    return Array.from({ length: number === 0 ? 0 : shape.withdrawalsPerBlock }, () => ({
      index: quantity(withdrawalIndex++),
      validatorIndex: quantity(random.integer(1_000_000)),
      address: accounts.address(accounts.draw()),
      amount: quantity(WITHDRAWAL_GWEI + random.integer(WITHDRAWAL_GWEI)),
    }));
  }

  function next(): BenchBlock {
    number++;
    const place = { blockNumber: quantity(number), blockHash: randomBytes(random, 32) };
    const transactions: RawTransaction[] = [];
    const receipts: RawReceipt[] = [];
    const traces: BenchBlock["traces"] = [];
    const bloom = emptyBloom();
    let gasUsed = 0;
    let logIndex = 0;
    for (const [index, { draft, logs }] of drawTransactions().entries()) {
      const { transaction } = draft;
      const inBlock = { ...place, transactionIndex: quantity(index) };
      transactions.push({ ...transaction, ...inBlock });
      gasUsed += draft.gasUsed;
      const ofTransaction = { ...inBlock, transactionHash: transaction.hash };
      const bodies = Array.from({ length: logs }, drawLog);
      receipts.push({
        ...ofTransaction,
        ...receiptOf(draft),
        cumulativeGasUsed: quantity(gasUsed),
        logsBloom: blooms.of(
          bodies.flatMap(({ address, topics }) => [address, ...topics]),
          bloom,
        ),
        logs: bodies.map((body) => ({
          ...body,
          ...ofTransaction,
          logIndex: quantity(logIndex++),
          removed: false,
        })),
      });
      const frames = draft.kind === "call" ? around(random, shape.framesPerCall) : 0;
      traces.push({
        txHash: transaction.hash,
        result: traceOf(shape, random, draft, { frames, contract }),
      });
      // A creation at the top is indexed as a frame, a call is the transaction itself.
      totals.internalTransactions += frames + (draft.kind === "creation" ? 1 : 0);
    }
    totals.transactions += transactions.length;
    totals.logs += logIndex;
    const block: RawBlock & Record<string, unknown> = {
      number: place.blockNumber,
      hash: place.blockHash,
      parentHash,
      timestamp: quantity(GENESIS_SECONDS + number * BLOCK_SECONDS),
      miner: accounts.address(number % Math.min(MINERS, accounts.count)),
      difficulty: "0x0",
      size: quantity(1_000 + 400 * transactions.length),
      gasLimit: quantity(GAS_LIMIT),
      gasUsed: quantity(gasUsed),
      baseFeePerGas: quantity(BASE_FEE),
      excessBlobGas: "0x0",
      blobGasUsed: "0x0",
      logsBloom: hexFromBytes(bloom),
      withdrawals: drawWithdrawals() ?? [],
      transactions,
      ...unusedFields(random),
    };
    parentHash = place.blockHash;
    return { number, block, receipts, traces };
  }

  return { next, tokens, totals };
}

function receiptOf(draft: TransactionDraft) {
  const { kind, succeeded, target, gasUsed, effectiveGasPrice, type, transaction } = draft;
  const { from, to } = transaction;
  return {
    type: quantity(type),
    from,
    to,
    contractAddress: kind === "creation" ? target : null,
    gasUsed: quantity(gasUsed),
    effectiveGasPrice,
    status: quantity(succeeded ? 1 : 0),
    ...(type === 3 ? { blobGasUsed: "0x40000" as const, blobGasPrice: "0x1" as const } : {}),
  };
}

function traceOf(
  shape: ChainShape,
  random: Random,
  { kind, succeeded, target, gasUsed, transaction }: TransactionDraft,
  inner: { frames: number; contract: () => Address },
): Frame {
  const { from, value, gas, input } = transaction;
  const creates = kind === "creation";
  const top = { from, to: target, creates, value, gas, gasUsed: quantity(gasUsed), input };
  return drawTrace(shape, random, { ...top, succeeded }, inner);
}

/** Further fields of nodes, so that an answer has a realistic length. */
function unusedFields(random: Random): Record<string, unknown> {
  return {
    sha3Uncles: randomBytes(random, 32),
    stateRoot: randomBytes(random, 32),
    transactionsRoot: randomBytes(random, 32),
    receiptsRoot: randomBytes(random, 32),
    withdrawalsRoot: randomBytes(random, 32),
    requestsHash: randomBytes(random, 32),
    parentBeaconBlockRoot: randomBytes(random, 32),
    mixHash: randomBytes(random, 32),
    nonce: "0x0000000000000000",
    extraData: "0x62656e6368",
    totalDifficulty: "0x0",
    uncles: [],
  };
}
