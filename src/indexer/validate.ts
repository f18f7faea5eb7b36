import type { FetchedBlock, RawBlock, RawReceipt, TransactionTrace } from "../chain/types.ts";
import { ChainError, messageOf } from "../core/errors.ts";
import type { Hex } from "../core/hex.ts";
import { quantityToNumber } from "../core/quantity.ts";

/** The parts of a block that a node gave do not belong together: it is asked again, another node if there is one. */
export class InconsistentBlockError extends ChainError {
  constructor(blockNumber: number, reason: string) {
    super("inconsistent-block", `the node's answer for block ${blockNumber} is wrong: ${reason}`, {
      retryable: true,
    });
  }
}

const HASH_LENGTH = 66;
const ADDRESS_LENGTH = 42;
const EMPTY_BLOOM = 0n;

/**
 * Proves that block, receipts, logs and traces are those of one block with this number: counts, hashes, order, gas and
 * bloom agree (docs/architecture.md, "A block"). Throws `InconsistentBlockError` that names the first disagreement.
 * Whether the block continues the chain is for the caller to compare.
 */
export function validateBlock(blockNumber: number, fetched: FetchedBlock): void {
  try {
    validateParts(blockNumber, fetched);
  } catch (error) {
    if (error instanceof ChainError) throw error;
    // A field of another kind than the specification has.
    throw new InconsistentBlockError(blockNumber, messageOf(error));
  }
}

function validateParts(blockNumber: number, { block, receipts, traces }: FetchedBlock): void {
  function demand(holds: boolean, reason: string): asserts holds {
    if (!holds) throw new InconsistentBlockError(blockNumber, reason);
  }
  demand(quantityToNumber(block.number) === blockNumber, `it is block ${block.number}`);
  demand(isHash(block.hash) && isHash(block.parentHash), "it has no hash or parent hash");
  demand(isAddress(block.miner), "it has no fee recipient");
  demand(Array.isArray(block.transactions), "it has no list of transactions");
  validateReceipts(block, receipts, demand);
  if (traces) validateTraces(block, traces, demand);
}

type Demand = (holds: boolean, reason: string) => asserts holds;

function validateReceipts(block: RawBlock, receipts: RawReceipt[], demand: Demand): void {
  const { transactions } = block;
  demand(
    receipts.length === transactions.length,
    `${transactions.length} transactions but ${receipts.length} receipts`,
  );
  let bloom = EMPTY_BLOOM;
  let logCount = 0;
  let cumulativeGasUsed = 0;
  for (const [index, receipt] of receipts.entries()) {
    const transaction = transactions[index];
    const place = `transaction ${index}`;
    demand(transaction !== undefined && isHash(transaction.hash), `${place} has no hash`);
    demand(isAddress(transaction.from), `${place} has no sender`);
    demand(
      transaction.to === null || isAddress(transaction.to),
      `${place} has a malformed receiver`,
    );
    demand(isData(transaction.input), `${place} has malformed input`);
    demand(
      transaction.blockHash === block.hash && indexIs(transaction.transactionIndex, index),
      `${place} says it is elsewhere`,
    );
    demand(receipt.blockHash === block.hash, `receipt ${index} belongs to another block`);
    demand(
      receipt.transactionHash === transaction.hash && indexIs(receipt.transactionIndex, index),
      `receipt ${index} belongs to another transaction`,
    );
    const cumulative = quantityToNumber(receipt.cumulativeGasUsed);
    demand(cumulative >= cumulativeGasUsed, `the cumulative gas falls at receipt ${index}`);
    cumulativeGasUsed = cumulative;
    const receiptBloom = BigInt(receipt.logsBloom);
    demand(
      receipt.logs.length > 0 === receiptBloom > EMPTY_BLOOM,
      `receipt ${index} has ${receipt.logs.length} logs and a bloom that says otherwise`,
    );
    bloom |= receiptBloom;
    for (const log of receipt.logs) {
      demand(
        log.blockHash === block.hash && log.transactionHash === transaction.hash,
        `log ${log.logIndex} belongs to another transaction`,
      );
      demand(indexIs(log.logIndex, logCount), `log ${logCount} is missing or out of order`);
      demand(isAddress(log.address), `log ${logCount} has no address`);
      demand(log.topics.every(isHash), `log ${logCount} has a malformed topic`);
      demand(isData(log.data), `log ${logCount} has malformed data`);
      logCount++;
    }
  }
  demand(
    cumulativeGasUsed === quantityToNumber(block.gasUsed),
    `the receipts used ${cumulativeGasUsed} gas, the block ${quantityToNumber(block.gasUsed)}`,
  );
  demand(bloom === BigInt(block.logsBloom), "the blooms of the receipts are not the block's");
}

function validateTraces(block: RawBlock, traces: TransactionTrace[], demand: Demand): void {
  const { transactions } = block;
  demand(
    traces.length === transactions.length,
    `${transactions.length} transactions but ${traces.length} traces`,
  );
  for (const [index, trace] of traces.entries()) {
    const transaction = transactions[index];
    demand(
      trace.transactionHash === null || trace.transactionHash === transaction?.hash,
      `trace ${index} belongs to another transaction`,
    );
    demand(
      trace.frame.from === transaction?.from,
      `trace ${index} has another sender than its transaction`,
    );
  }
}

function indexIs(quantity: Hex | null, index: number): boolean {
  return quantity !== null && Number.parseInt(quantity, 16) === index;
}

function isHash(value: unknown): value is Hex {
  return typeof value === "string" && value.length === HASH_LENGTH;
}

function isData(value: unknown): boolean {
  return typeof value === "string" && value.startsWith("0x") && value.length % 2 === 0;
}

function isAddress(value: unknown): value is Hex {
  return typeof value === "string" && value.length === ADDRESS_LENGTH;
}
