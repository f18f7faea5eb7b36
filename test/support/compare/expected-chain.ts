import type { Address, Hex } from "viem";
import { keccak256 } from "viem";
import { IMPLEMENTATION_CHANGES } from "../activity.ts";
import type { OracleTransaction } from "../oracle/decode.ts";
import type { InternalTransaction } from "../oracle/frames.ts";
import { ownersByLastTransfer } from "../oracle/holdings.ts";
import type { Oracle } from "../oracle/oracle.ts";
import { consecutiveMovementOf } from "../oracle/transfers.ts";
import type { TableName, TextRow } from "./rows.ts";

/** A value as the rows of the database are read. */
export function text(value: string | number | bigint | boolean | null | undefined): string | null {
  return value === null || value === undefined ? null : String(value);
}

const SENDER = 1;
const RECEIVER = 2;
const CREATED = 4;

type Party = [Address | null, number];

/** One row per address that takes part, with its sides added up. */
function activityRows(place: TextRow, parties: readonly Party[]): TextRow[] {
  const sides = new Map<Address, number>();
  for (const [address, side] of parties) {
    if (address !== null) sides.set(address, (sides.get(address) ?? 0) | side);
  }
  return [...sides].map(([address, side]) => ({ address, ...place, sides: text(side) }));
}

function transactionRow(transaction: OracleTransaction): TextRow {
  const { raw } = transaction;
  const word = (quantity: Hex | undefined): string | null =>
    quantity === undefined ? null : `0x${quantity.slice(2).padStart(64, "0")}`;
  const wei = (quantity: Hex | undefined): string | null =>
    quantity === undefined ? null : text(BigInt(quantity));
  return {
    block_number: text(transaction.blockNumber),
    transaction_index: text(transaction.transactionIndex),
    hash: transaction.hash,
    type: text(transaction.type),
    from_address: transaction.from,
    to_address: transaction.to,
    created_contract: transaction.created,
    nonce: text(transaction.nonce),
    value: text(transaction.value),
    gas: text(transaction.gas),
    gas_price: text(transaction.gasPrice),
    max_fee_per_gas: wei(raw.maxFeePerGas),
    max_priority_fee_per_gas: wei(raw.maxPriorityFeePerGas),
    gas_used: text(transaction.gasUsed),
    cumulative_gas_used: text(transaction.cumulativeGasUsed),
    status: text(transaction.status),
    input: transaction.input,
    error: transaction.error,
    revert_data: transaction.revertData,
    v: wei(raw.v ?? raw.yParity),
    r: word(raw.r),
    s: word(raw.s),
    l1_fee: wei(l1FeeOf(transaction)),
  };
}

/** The L1 fee of a rollup's receipt. */
function l1FeeOf({ rawReceipt }: OracleTransaction): Hex | undefined {
  return (rawReceipt as { l1Fee?: Hex | null }).l1Fee ?? undefined;
}

/** Fields of each Ethereum receipt. */
const ETHEREUM_RECEIPT = new Set([
  ...["blockHash", "blockNumber", "blockTimestamp", "transactionHash", "transactionIndex", "type"],
  ...["from", "to", "contractAddress", "cumulativeGasUsed", "gasUsed", "effectiveGasPrice"],
  ...["logs", "logsBloom", "status", "root", "blobGasUsed", "blobGasPrice"],
]);

/** Fields of some transaction types only; stored as JSON. */
export function extraFields({ raw, rawReceipt, type }: OracleTransaction): Record<string, unknown> {
  const { accessList, authorizationList, maxFeePerBlobGas, blobVersionedHashes } = raw;
  const isBlob = type === 3;
  const further = Object.entries(rawReceipt).filter(
    ([name, value]) => !ETHEREUM_RECEIPT.has(name) && name !== "l1Fee" && value !== null,
  );
  const { sourceHash, mint, isSystemTx } = raw as unknown as Record<string, unknown>;
  const ofDeposit = { sourceHash, mint: mint ?? undefined, isSystemTx };
  const isDeposit = Object.values(ofDeposit).some((value) => value !== undefined);
  return JSON.parse(
    JSON.stringify({
      accessList: accessList?.length ? accessList : undefined,
      // As the specification spells them; anvil also repeats the parity.
      authorizationList: authorizationList?.map((one) => {
        const { chainId, nonce, address, r, s, yParity } = one as Record<string, unknown>;
        return { chainId, nonce, address, r, s, yParity };
      }),
      maxFeePerBlobGas,
      blobVersionedHashes,
      blobGasUsed: isBlob ? rawReceipt.blobGasUsed : undefined,
      blobGasPrice: isBlob ? rawReceipt.blobGasPrice : undefined,
      transaction: isDeposit ? ofDeposit : undefined,
      receipt: further.length > 0 ? Object.fromEntries(further) : undefined,
    }),
  ) as Record<string, unknown>;
}

function internalRow(entry: InternalTransaction): TextRow {
  return {
    block_number: text(entry.blockNumber),
    transaction_index: text(entry.transactionIndex),
    position: text(entry.position),
    trace_address: entry.traceAddress.join(","),
    type: entry.type,
    call_type: entry.callType,
    from_address: entry.from,
    to_address: entry.to,
    created_contract: entry.created,
    value: text(entry.value),
    gas: text(entry.gas),
    gas_used: text(entry.gasUsed),
    // The input of a top-level creation is the transaction's.
    input: entry.position === 0 ? null : entry.input,
    error: entry.error,
    effective: text(entry.effective),
  };
}

function internalActivity(entry: InternalTransaction): TextRow[] {
  const place = {
    block_number: text(entry.blockNumber),
    transaction_index: text(entry.transactionIndex),
    position: text(entry.position),
    valued: text(entry.type !== "call" || entry.value > 0n),
  };
  return activityRows(place, [
    [entry.from, SENDER],
    [entry.to, RECEIVER],
    [entry.created, CREATED],
  ]);
}

function gasPrices(transactions: Oracle["transactions"]): TextRow {
  const prices = transactions.map(({ gasPrice }) => gasPrice).sort((a, b) => (a < b ? -1 : 1));
  return {
    gas_price_minimum: text(prices[0] ?? null),
    gas_price_maximum: text(prices.at(-1) ?? null),
  };
}

/** The L1 fees of a block; null where no receipt has one. */
export function l1FeesOf(transactions: Oracle["transactions"], number: number): string | null {
  const fees = transactions
    .filter(({ blockNumber }) => blockNumber === number)
    .flatMap((transaction) => l1FeeOf(transaction) ?? []);
  return fees.length === 0 ? null : text(fees.reduce((sum, fee) => sum + BigInt(fee), 0n));
}

/** The rows that the chain tables must hold, no more and no less. */
export function expectedChainRows(oracle: Oracle): Partial<Record<TableName, TextRow[]>> {
  const { blocks, transactions, logs, transfers, creations, destructions } = oracle;
  const internalTransactions = oracle.internalTransactions ?? [];
  return {
    blocks: blocks.map((block) => ({
      number: text(block.number),
      hash: block.hash,
      parent_hash: block.parentHash,
      timestamp: text(block.timestamp),
      miner: block.miner,
      difficulty: text(block.difficulty),
      size: text(block.size),
      gas_limit: text(block.gasLimit),
      gas_used: text(block.gasUsed),
      base_fee_per_gas: text(block.baseFeePerGas),
      transaction_count: text(block.transactionCount),
      fees: text(block.fees),
      reward: text(block.reward),
      l1_fees: l1FeesOf(transactions, block.number),
      ...gasPrices(transactions.filter(({ blockNumber }) => blockNumber === block.number)),
    })),
    transactions: transactions.map(transactionRow),
    transaction_hashes: transactions.map(({ hash, blockNumber, transactionIndex }) => ({
      hash,
      block_number: text(blockNumber),
      transaction_index: text(transactionIndex),
    })),
    logs: logs.map((log) => ({
      block_number: text(log.blockNumber),
      log_index: text(log.logIndex),
      transaction_index: text(log.transactionIndex),
      address: log.address,
      topic0: text(log.topics[0]),
      topic1: text(log.topics[1]),
      topic2: text(log.topics[2]),
      topic3: text(log.topics[3]),
      data: log.data,
    })),
    internal_transactions: internalTransactions.map(internalRow),
    withdrawals: blocks.flatMap((block) =>
      block.withdrawals.map((withdrawal) => ({
        block_number: text(block.number),
        withdrawal_index: text(withdrawal.index),
        validator_index: text(withdrawal.validatorIndex),
        address: withdrawal.address,
        amount: text(withdrawal.amount),
      })),
    ),
    uncles: blocks.flatMap((block) =>
      block.uncles.map((uncle, position) => ({
        block_number: text(block.number),
        position: text(position),
        hash: uncle.hash,
        number: text(uncle.number),
        timestamp: text(uncle.timestamp),
        miner: uncle.miner,
      })),
    ),
    token_transfers: transfers.map((transfer) => ({
      block_number: text(transfer.blockNumber),
      log_index: text(transfer.logIndex),
      batch_index: text(transfer.batchIndex),
      transaction_index: text(transfer.transactionIndex),
      token: transfer.token,
      standard: text(transfer.standard),
      from_address: transfer.from,
      to_address: transfer.to,
      token_id: text(transfer.id),
      amount: text(transfer.amount),
    })),
    consecutive_transfers: logs.flatMap((log) => {
      const moved = consecutiveMovementOf(log.topics, log.data);
      if (!moved) return [];
      return {
        token: log.address,
        block_number: text(log.blockNumber),
        log_index: text(log.logIndex),
        transaction_index: text(log.transactionIndex),
        from_address: moved.from,
        to_address: moved.to,
        first_id: text(moved.firstId),
        last_id: text(moved.lastId),
      };
    }),
    contracts: creations.map((creation) => ({
      address: creation.address,
      block_number: text(creation.blockNumber),
      transaction_index: text(creation.transactionIndex),
      position: text(creation.position),
      creator: creation.creator,
      code_hash: oracle.internalTransactions ? keccak256(creation.code) : null,
    })),
    contract_destructions: destructions.map((destruction) => ({
      address: destruction.address,
      block_number: text(destruction.blockNumber),
      transaction_index: text(destruction.transactionIndex),
      position: text(destruction.position),
    })),
    implementation_changes: logs
      .filter(({ topics: [topic0] }) => IMPLEMENTATION_CHANGES.has(topic0))
      .map((log) => ({
        address: log.address,
        block_number: text(log.blockNumber),
        log_index: text(log.logIndex),
      })),
    address_transactions: transactions.flatMap((transaction) =>
      activityRows(
        {
          block_number: text(transaction.blockNumber),
          transaction_index: text(transaction.transactionIndex),
        },
        [
          [transaction.from, SENDER],
          [transaction.to, RECEIVER],
          [transaction.created, CREATED],
        ],
      ),
    ),
    address_internal_transactions: internalTransactions.flatMap(internalActivity),
    address_token_transfers: transfers.flatMap((transfer) =>
      activityRows(
        {
          standard: text(transfer.standard),
          block_number: text(transfer.blockNumber),
          log_index: text(transfer.logIndex),
          batch_index: text(transfer.batchIndex),
          token: transfer.token,
        },
        [
          [transfer.from, SENDER],
          [transfer.to, RECEIVER],
        ],
      ),
    ),
    nft_owners: ownersByLastTransfer(transfers).map(({ token, id, owner }) => ({
      token,
      token_id: text(id),
      owner,
    })),
  };
}
