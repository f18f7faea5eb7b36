import { stateSyncHash } from "../../chain/blocks/state-sync.ts";
import { coveredByRoots } from "../../chain/forms/system-transactions.ts";
import type {
  FetchedBlock,
  RawBlock,
  RawHeader,
  RawReceipt,
  RawTransaction,
} from "../../chain/types.ts";
import { ChainError, messageOf } from "../../core/errors.ts";
import { isAddress } from "../../core/evm/address.ts";
import { type Hex, isHash, isHexData } from "../../core/evm/hex.ts";
import { quantityToInt64, quantityToNumber } from "../../core/evm/quantity.ts";
import { isNothing } from "../../core/json/record.ts";
import type { Check, SoftInconsistency, SoftKind } from "./check.ts";
import { validateTraces } from "./validate-traces.ts";

/** The parts of a node's block contradict one another. The block is fetched again, from another node if there is one. */
export class InconsistentBlockError extends ChainError {
  constructor(blockNumber: number, reason: string) {
    super("inconsistent-block", `the node's answer for block ${blockNumber} is wrong: ${reason}`);
  }
}

/** Topics are compared with known events in lower case (execution-apis specification). */
const TOPIC = /^0x[0-9a-f]{64}$/;
const BLOOM_BYTES = 256;
const MOST_TOPICS = 4;
const NO_HASH = `0x${"0".repeat(64)}`;

/** Checks that the parts are of this block (docs/architecture.md, "A block"); returns soft findings. Throws `InconsistentBlockError`. */
export function validateBlock(blockNumber: number, fetched: FetchedBlock): SoftInconsistency[] {
  const soft = new Map<SoftKind, string>();
  const check: Check = {
    requireThat(holds, reason) {
      if (!holds) throw new InconsistentBlockError(blockNumber, reason);
    },
    prefer(holds, kind, reason) {
      if (!holds && !soft.has(kind)) soft.set(kind, reason);
    },
  };
  try {
    validateParts(blockNumber, fetched, check);
  } catch (error) {
    if (error instanceof ChainError) throw error;
    // A field has another type than in the specification.
    throw new InconsistentBlockError(blockNumber, messageOf(error));
  }
  return [...soft].map(([kind, reason]) => ({ kind, reason }));
}

function validateParts(blockNumber: number, fetched: FetchedBlock, check: Check): void {
  const { block, receipts, traces, uncles = [] } = fetched;
  const { requireThat } = check;
  requireThat(quantityToNumber(block.number) === blockNumber, `it is block ${block.number}`);
  requireThat(isHash(block.hash) && isHash(block.parentHash), "it has no hash or parent hash");
  requireThat(isAddress(block.miner), "it has no fee recipient");
  requireThat(Array.isArray(block.transactions), "it has no list of transactions");
  const { length } = block.transactions;
  requireThat(receipts.length === length, `${length} transactions but ${receipts.length} receipts`);
  for (const [position, transaction] of block.transactions.entries()) {
    const index = fetched.indexes?.[position] ?? position;
    validateTransaction(block, transaction, index, check);
    validateReceipt(block, transaction, receipts[position] as RawReceipt, index, check);
  }
  for (const { kind, reason } of fetched.oddities ?? []) check.prefer(false, kind, reason);
  validateUncles(block, uncles, check);
  validateWithdrawals(block, check);
  const { receipts: covered } = coveredByRoots(fetched);
  const uncovered = length - covered.length - (stateSyncHash(block) === undefined ? 0 : 1);
  check.prefer(
    uncovered <= 0,
    "uncovered-transactions",
    `${uncovered} transactions that pay nothing are outside of its roots and its gas`,
  );
  validateGas(block, covered, check);
  validateBlooms(block, covered, check);
  validateLogIndexes(receipts, check);
  if (traces) validateTraces(fetched, traces, check);
}

function validateTransaction(
  block: RawBlock,
  transaction: RawTransaction,
  index: number,
  check: Check,
): void {
  const { requireThat } = check;
  const place = `transaction ${index}`;
  requireThat(isHash(transaction.hash), `${place} has no hash`);
  requireThat(isAddress(transaction.from), `${place} has no sender`);
  requireThat(
    transaction.to === null || isAddress(transaction.to),
    `${place} has a malformed receiver`,
  );
  requireThat(isHexData(transaction.input), `${place} has malformed input`);
  requireName(transaction.blockHash, block.hash, `${place} says it is elsewhere`, check);
  requireIndex(transaction.transactionIndex, index, `${place} says it is elsewhere`, check);
}

function validateReceipt(
  block: RawBlock,
  { hash: transactionHash }: RawTransaction,
  receipt: RawReceipt,
  index: number,
  check: Check,
): void {
  const { requireThat } = check;
  const elsewhere = `receipt ${index} belongs to another transaction`;
  requireName(receipt.blockHash, block.hash, `receipt ${index} belongs to another block`, check);
  requireThat(receipt.transactionHash === transactionHash, elsewhere);
  requireIndex(receipt.transactionIndex, index, elsewhere, check);
  for (const [position, log] of receipt.logs.entries()) {
    const place = `log ${position} of transaction ${index}`;
    requireName(log.blockHash, block.hash, `${place} belongs to another block`, check);
    requireName(log.transactionHash, transactionHash, `${place} belongs to another one`, check);
    requireThat(isAddress(log.address), `${place} has no address`);
    requireThat(log.topics.length <= MOST_TOPICS, `${place} has ${log.topics.length} topics`);
    requireThat(
      log.topics.every((topic) => TOPIC.test(topic)),
      `${place} has a malformed topic`,
    );
    requireThat(isHexData(log.data), `${place} has malformed data`);
  }
}

/** Checks that the uncles' headers are those in the block, and of older blocks. */
function validateUncles(block: RawBlock, uncles: readonly RawHeader[], check: Check) {
  const { requireThat, prefer } = check;
  const named = block.uncles ?? [];
  const reason = `${named.length} uncles but ${uncles.length} headers`;
  prefer(uncles.length >= named.length, "no-uncle", reason);
  const known = named.filter((hash) => uncles.some((uncle) => uncle.hash === hash));
  for (const [index, uncle] of uncles.entries()) {
    requireThat(uncle.hash === known[index], `uncle ${index} is another one`);
    requireThat(isAddress(uncle.miner), `uncle ${index} has no fee recipient`);
    requireThat(
      quantityToNumber(uncle.number) < quantityToNumber(block.number),
      `uncle ${index} is no older than the block`,
    );
  }
}

/** Checks that withdrawals are numbered through the chain (EIP-4895), except one by which Berachain mints. */
function validateWithdrawals({ withdrawals }: RawBlock, { requireThat }: Check): void {
  const indexes = new Set((withdrawals ?? []).map(({ index }) => quantityToInt64(index)));
  requireThat(indexes.size === (withdrawals ?? []).length, "two withdrawals have one index");
  requireThat(
    (withdrawals ?? []).every(({ address }) => isAddress(address)),
    "a withdrawal has a malformed receiver",
  );
}

/** Checks the sum of the cumulative gas; up to Amsterdam it is the block's. */
function validateGas(block: RawBlock, receipts: readonly RawReceipt[], { prefer }: Check): void {
  let before = 0;
  for (const [index, receipt] of receipts.entries()) {
    const cumulative = quantityToNumber(receipt.cumulativeGasUsed);
    const used = quantityToNumber(receipt.gasUsed);
    prefer(
      cumulative === before + used,
      "cumulative-gas",
      `receipt ${index} used ${used} gas, and the sum goes from ${before} to ${cumulative}`,
    );
    before = cumulative;
  }
  // Since Amsterdam the header counts gas outside all receipts (EIP-7778, EIP-8037).
  if (!isNothing(block.blockAccessListHash)) return;
  const total = quantityToNumber(block.gasUsed);
  prefer(before === total, "cumulative-gas", `the receipts used ${before} gas, the block ${total}`);
}

function validateBlooms(block: RawBlock, receipts: readonly RawReceipt[], { prefer }: Check): void {
  let joined = 0n;
  for (const [index, { logs, logsBloom }] of receipts.entries()) {
    const bloom = bloomOf(logsBloom);
    prefer(
      bloom !== undefined && logs.length > 0 === bloom > 0n,
      "bloom",
      `receipt ${index} has ${logs.length} logs and a bloom that says otherwise`,
    );
    joined |= bloom ?? 0n;
  }
  prefer(
    joined === bloomOf(block.logsBloom),
    "bloom",
    "the blooms of the receipts are not the block's",
  );
}

/** Checks that the logs are numbered from 0 on through the block. */
function validateLogIndexes(receipts: readonly RawReceipt[], { requireThat, prefer }: Check): void {
  let position = 0;
  for (const { logs } of receipts) {
    let before = -1;
    for (const log of logs) {
      const index = quantityToNumber(log.logIndex);
      requireThat(index > before, `log ${position} is out of order within its transaction`);
      prefer(index === position, "log-index", `log ${position} of the block is numbered ${index}`);
      before = index;
      position++;
    }
  }
}

/** Checks the hash of a part's owner. Some nodes omit or zero it; another hash is refused. */
function requireName(
  value: Hex | null | undefined,
  expected: Hex | undefined,
  reason: string,
  check: Check,
): void {
  if (value === expected || value?.toLowerCase() === expected) return;
  check.requireThat(isNothing(value) || value === NO_HASH, reason);
  check.prefer(false, "odd-field", `${reason}: it names none`);
}

function requireIndex(
  value: Hex | null | undefined,
  expected: number,
  reason: string,
  check: Check,
): void {
  if (isNothing(value)) check.prefer(false, "odd-field", `${reason}: it has no index`);
  else check.requireThat(quantityToNumber(value) === expected, reason);
}

/** Parses a bloom filter; undefined when it is invalid. */
function bloomOf(value: unknown): bigint | undefined {
  return isHexData(value) && value.length === 2 + 2 * BLOOM_BYTES ? BigInt(value) : undefined;
}
