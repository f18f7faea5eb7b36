import { copyTable, type RowOf } from "../db/copy.ts";

// The append-only tables that blocks are recorded into, as COPY takes them (migrations/0001_chain.sql).

const blocksTable = copyTable("blocks", {
  number: "int8",
  hash: "bytea",
  parent_hash: "bytea",
  timestamp: "int8",
  miner: "bytea",
  difficulty: "numeric",
  size: "int8",
  gas_limit: "numeric",
  gas_used: "numeric",
  base_fee_per_gas: "numeric?",
  transaction_count: "int4",
  fees: "numeric",
  reward: "numeric",
  gas_price_minimum: "numeric?",
  gas_price_maximum: "numeric?",
});

const transactionsTable = copyTable("transactions", {
  block_number: "int8",
  transaction_index: "int4",
  hash: "bytea",
  type: "int4",
  from_address: "bytea",
  to_address: "bytea?",
  created_contract: "bytea?",
  nonce: "numeric",
  value: "numeric",
  gas: "numeric",
  gas_price: "numeric",
  max_fee_per_gas: "numeric?",
  max_priority_fee_per_gas: "numeric?",
  gas_used: "numeric",
  cumulative_gas_used: "numeric",
  status: "int2?",
  input: "bytea",
  error: "text?",
  revert_data: "bytea?",
  v: "numeric?",
  r: "bytea?",
  s: "bytea?",
  extra: "json?",
});

const transactionHashesTable = copyTable("transaction_hashes", {
  hash: "bytea",
  block_number: "int8",
  transaction_index: "int4",
});

const logsTable = copyTable("logs", {
  block_number: "int8",
  log_index: "int4",
  transaction_index: "int4",
  address: "bytea",
  topic0: "bytea?",
  topic1: "bytea?",
  topic2: "bytea?",
  topic3: "bytea?",
  data: "bytea",
});

const internalTransactionsTable = copyTable("internal_transactions", {
  block_number: "int8",
  transaction_index: "int4",
  position: "int4",
  trace_address: "int4[]",
  type: "text",
  call_type: "text?",
  from_address: "bytea",
  to_address: "bytea?",
  created_contract: "bytea?",
  value: "numeric",
  gas: "numeric?",
  gas_used: "numeric?",
  input: "bytea?",
  error: "text?",
  effective: "bool",
});

const withdrawalsTable = copyTable("withdrawals", {
  block_number: "int8",
  withdrawal_index: "int8",
  validator_index: "int8",
  address: "bytea",
  amount: "numeric",
});

const unclesTable = copyTable("uncles", {
  block_number: "int8",
  position: "int4",
  hash: "bytea",
  number: "int8",
  timestamp: "int8",
  miner: "bytea",
});

const tokenTransfersTable = copyTable("token_transfers", {
  block_number: "int8",
  log_index: "int4",
  batch_index: "int4",
  transaction_index: "int4",
  token: "bytea",
  standard: "int2",
  from_address: "bytea",
  to_address: "bytea",
  token_id: "numeric?",
  amount: "numeric?",
});

const contractsTable = copyTable("contracts", {
  address: "bytea",
  block_number: "int8",
  transaction_index: "int4",
  position: "int4",
  creator: "bytea",
  code_hash: "bytea?",
});

const contractDestructionsTable = copyTable("contract_destructions", {
  address: "bytea",
  block_number: "int8",
  transaction_index: "int4",
  position: "int4",
});

const implementationChangesTable = copyTable("implementation_changes", {
  address: "bytea",
  block_number: "int8",
  log_index: "int4",
});

const addressTransactionsTable = copyTable("address_transactions", {
  address: "bytea",
  block_number: "int8",
  transaction_index: "int4",
  sides: "int2",
});

const addressInternalTransactionsTable = copyTable("address_internal_transactions", {
  address: "bytea",
  block_number: "int8",
  transaction_index: "int4",
  position: "int4",
  sides: "int2",
  valued: "bool",
});

const addressTokenTransfersTable = copyTable("address_token_transfers", {
  address: "bytea",
  standard: "int2",
  block_number: "int8",
  log_index: "int4",
  batch_index: "int4",
  token: "bytea",
  sides: "int2",
});

/** All tables that blocks are recorded into. A key is the name of the table's rows in `ChainRows`. */
export const chainTables = {
  blocks: blocksTable,
  transactions: transactionsTable,
  transactionHashes: transactionHashesTable,
  logs: logsTable,
  internalTransactions: internalTransactionsTable,
  withdrawals: withdrawalsTable,
  uncles: unclesTable,
  tokenTransfers: tokenTransfersTable,
  contracts: contractsTable,
  contractDestructions: contractDestructionsTable,
  implementationChanges: implementationChangesTable,
  addressTransactions: addressTransactionsTable,
  addressInternalTransactions: addressInternalTransactionsTable,
  addressTokenTransfers: addressTokenTransfersTable,
};

export type ChainTableName = keyof typeof chainTables;

/** Rows of one or many blocks, by table. */
export type ChainRows = { [Name in ChainTableName]: RowOf<(typeof chainTables)[Name]>[] };

/** The column of a chain table that holds the block number. */
export function blockColumn(name: ChainTableName): string {
  return name === "blocks" ? "number" : "block_number";
}

/** The roles of an address in an entry; the `sides` columns hold their sum. */
export const SIDE = { sender: 1, receiver: 2, created: 4 } as const;
